-- The size of what the file holds, without its free pages.
-- in:
-- out: bytes
SELECT (page_count - freelist_count) * page_size
FROM pragma_page_count(), pragma_freelist_count(), pragma_page_size()
