import { isRecord } from '../document-node.ts'
import type { ServiceResponse } from '../service-client.ts'

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

/** Does another page follow, by the links of the document or the header? */
export function hasNextPage(document: JsonObject, { headers }: ServiceResponse): boolean {
  const { links } = document
  return (
    (isRecord(links) && links.next !== undefined && links.next !== null) ||
    /rel="?next"?/.test(headers.link ?? '')
  )
}
