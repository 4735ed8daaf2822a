/** The detail for a member of a request whose value is not a string. */
export function mustBeString(member: 'href' | 'id' | 'lid' | 'relationship' | 'type'): string {
  return `'${member}' must be a string.`
}
