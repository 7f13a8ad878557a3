"""Everything computed anew from the record alone, and compared with what was recorded."""
