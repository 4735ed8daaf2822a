/** A response lists at most this many problems, so that it stays in proportion to its request. */
export const maxReportedProblems = 50
