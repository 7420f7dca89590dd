# Every case file of the suite, by chapter of the contract and by id.
set(stile_case_files
  lease/A1.case lease/A2.case lease/A3.case lease/A4.case lease/A5.case lease/A6.case lease/A7.case lease/A8.case
  lease/A9.case lease/A10.case lease/A11.case lease/A12.case lease/A13.case lease/A14.case
  records/B1.case records/B2.case records/B3.case records/B4.case records/B5.case records/B6.case records/B7.case
  records/B8.case records/B9.case records/B10.case records/B11.case records/B12.case records/B13.case records/B14.case
  cancel/C1.case cancel/C2.case cancel/C3.case cancel/C4.case cancel/C5.case cancel/C6.case cancel/C7.case
  cancel/C8.case
  deliveries/D1.case deliveries/D2.case deliveries/D3.case deliveries/D4.case deliveries/D5.case deliveries/D6.case
  deliveries/D7.case deliveries/D8.case deliveries/D9.case deliveries/D10.case deliveries/D11.case
  wakeups/W1.case wakeups/W2.case wakeups/W3.case wakeups/W4.case wakeups/W5.case wakeups/W6.case wakeups/W7.case
  wakeups/W8.case wakeups/W9.case wakeups/W10.case
  inbox/I1.case inbox/I2.case inbox/I3.case inbox/I4.case inbox/I5.case
  effects/E1.case effects/E2.case effects/E3.case effects/E4.case effects/E5.case effects/E6.case effects/E7.case
  effects/E8.case
  documents/K1.case documents/K2.case documents/K3.case documents/K4.case documents/K5.case documents/K6.case
  documents/K7.case documents/K8.case
  trim/T1.case trim/T2.case trim/T3.case trim/T4.case trim/T5.case trim/T6.case trim/T7.case
  resend/R1.case resend/R2.case resend/R3.case resend/R4.case resend/R5.case resend/R6.case resend/R7.case
  store/S1.case store/S2.case store/S3.case store/S4.case store/S5.case)
