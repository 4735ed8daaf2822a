/**
 * What stands in path templates for the place in the first list on the way to a resource (0), in
 * the second, and so on.
 */
export function indexParameterName(list: number): string {
  return list === 0 ? 'index' : `index${list + 1}`
}
