/**
 * Stands where a response has no description of its own. It is not one: it says that the rule's
 * `response.description` has to be written.
 */
export const noResponseDescription = '[no description]'
