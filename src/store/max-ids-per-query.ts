/** How many ids one query names: a list of more is read in batches. */
export const maxIdsPerQuery = 500
