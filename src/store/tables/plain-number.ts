/**
 * The text of an integer that is that of the JSON number: integers of fifteen digits are exact.
 *
 * Databases and JavaScript write other numbers differently, such as -0.
 */
export const plainInteger: RegExp = /^(?:0|-?[1-9]\d{0,14})$/

/**
 * The text of a number that is that of the JSON number: fifteen digits are read back as they were,
 * and JavaScript writes an exponent for those below 0.000001 only.
 */
export const plainNumberPattern = '(?:-?(?:0|[1-9]\\d{0,9})\\.\\d{0,4}[1-9]|-?[1-9]\\d{0,14}|0)'

export const plainNumber: RegExp = new RegExp(`^${plainNumberPattern}$`)
