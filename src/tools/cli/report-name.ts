/** The name of what a report is about, with its store where a router has several. */
export function reportName({
  name,
  store,
}: {
  readonly name: string
  readonly store?: string
}): string {
  return store === undefined ? name : `${name} in ${store}`
}
