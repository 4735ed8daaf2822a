/** Members of a JSON object, of which each text may be empty. */
export function joinMembers(...texts: readonly string[]): string {
  return texts.filter((text) => text !== '').join(',')
}
