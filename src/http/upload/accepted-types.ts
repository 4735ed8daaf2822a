/**
 * Is the media type (in lower case, without parameters) one of these, or in one of these ranges
 * (`audio/*`)?
 */
export function isAcceptedType(type: string, accepts: readonly string[]): boolean {
  return accepts.some(
    (one) =>
      one === '*/*' || one === type || (one.endsWith('/*') && type.startsWith(one.slice(0, -1))),
  )
}
