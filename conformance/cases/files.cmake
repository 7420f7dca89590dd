# Every case file of the suite, by chapter of the contract and by id.
set(stile_case_files
  lease/A1.case)
