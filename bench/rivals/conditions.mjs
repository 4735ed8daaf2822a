/**
 * @param {string | undefined} header If-Match or If-None-Match
 * @param {string} tag
 */
export function lists(header, tag) {
  if (header === undefined) return false
  return (
    header === tag ||
    header === '*' ||
    (header.includes(',') && header.split(/\s*,\s*/).includes(tag))
  )
}
