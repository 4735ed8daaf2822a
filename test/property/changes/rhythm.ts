/** How clients follow while changes go on. */
export interface Rhythm {
  /** How many times as many changes pass between two reads. */
  readonly pauseFactor: number
  /** How many times as many changes a page has. */
  readonly pageFactor: number
}

/** The clients and the lists are compared after so many changes, and at the end. */
export const changesBetweenComparisons = 1_000

/** As many as stores of tests have connections: on a busy machine, others wait too long. */
export const clientsAtOnce = 4

/** Changes after each comparison with the rhythm of a short run. */
const changesWithShortPauses = 100

const short: Rhythm = { pauseFactor: 1, pageFactor: 1 }
const long: Rhythm = { pauseFactor: 25, pageFactor: 50 }

/**
 * Most of a long run would be requests for pages of one to six changes, each of which decides the
 * same as in the first thousand. So after the first changes of each thousand, clients read more
 * changes at once, and seldom. Each of them still gets every change, and has to equal its list.
 */
export function rhythmAt(index: number): Rhythm {
  return index % changesBetweenComparisons < changesWithShortPauses ? short : long
}

/** For runs on a busy machine. */
const maxMsPerChange = 100

/** How long a test with so many changes may take, in milliseconds. */
export function maxRunMs(changeCount: number): number {
  return 120_000 + maxMsPerChange * changeCount
}
