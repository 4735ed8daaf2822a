/** Text compares by code points, as everywhere else. */
export const codePointOrder = 'collate "C"'
