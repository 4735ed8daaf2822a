/** Marks a response whose rule has no `response.description`. */
export const noResponseDescription = '[no description]'
