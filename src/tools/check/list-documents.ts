import { isRecord } from './document-node.ts'
import type { ServiceResponse } from './service-client.ts'

export type JsonObject = Readonly<Record<string, unknown>>

/** The body of a successful response; undefined for any other. */
export function documentIn({ status, body }: ServiceResponse): JsonObject | undefined {
  if (status !== 200) return undefined
  const document: unknown = JSON.parse(body.toString())
  return isRecord(document) ? document : undefined
}

/** The member, of the document itself or of its `meta`. */
export function memberOf(document: JsonObject | undefined, name: string): unknown {
  if (!document) return undefined
  return document[name] ?? (isRecord(document.meta) ? document.meta[name] : undefined)
}

export function recordsIn(value: unknown): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isRecord) : []
}

/** The first member of a list document that is a list of items. */
export function itemsOf(document: JsonObject): readonly JsonObject[] {
  return recordsIn(Object.values(document).find(Array.isArray))
}

/** A group of items, as a response shows it. */
export interface ShownGroup {
  readonly by: JsonObject
  readonly aggregates: JsonObject
}

export function groupsIn(document: JsonObject | undefined): readonly ShownGroup[] {
  return recordsIn(memberOf(document, 'groups')).map(({ by, aggregates }) => ({
    by: isRecord(by) ? by : {},
    aggregates: isRecord(aggregates) ? aggregates : {},
  }))
}

/** Does another page follow, by the links of the document or the header? */
export function hasNextPage(
  document: JsonObject,
  { headers }: Pick<ServiceResponse, 'headers'>,
): boolean {
  const { links } = document
  return (
    (isRecord(links) && links.next !== undefined && links.next !== null) ||
    /rel="?next"?/.test(headers.link ?? '')
  )
}
