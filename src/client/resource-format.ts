import { type Format, modelOf, type ReceivedDocument } from './format.ts'
import type { Manifest } from './manifest.ts'
import { mapped } from './mapped.ts'
import { withoutStart } from './plain-format.ts'

/** Documents of JSON:API: resources become flat items, and linkage becomes ids. */
export function resourceFormat(manifest: Manifest): Format {
  return {
    mediaType: 'application/vnd.api+json',
    hasInverseFields: true,
    primary: (document) => document.data,
    included: (document) =>
      [document.data, document.included]
        .flat()
        .flatMap((received) => (received ? [[received.type, received] as const] : [])),
    toItem: ({ id, attributes, relationships, links }) => ({
      id,
      ...attributes,
      ...mapped(relationships, ({ data }: ReceivedDocument) => idsOf(data)),
      // The other links of a resource are its files.
      ...mapped(links, (link: ReceivedDocument, name) =>
        name === 'self' ? undefined : link && { href: link.href, ...link.meta },
      ),
    }),
    version: ({ meta }) => meta?.version,
    pointerInto: (pointer) =>
      withoutStart(
        withoutStart(
          pointer.replace(/^\/data\/relationships\/([^/]+)(?:\/data)?(\/\d+)?.*/, '/$1$2'),
          '/data/attributes',
        ),
        '/data',
      ),
    writeItem: (values, plural, id) => {
      const { relations = {} } = modelOf(manifest, plural)
      const attributes: Record<string, unknown> = {}
      const relationships: Record<string, unknown> = {}
      let newId = id
      for (const [name, value] of Object.entries(values))
        if (value === undefined) continue
        else if (name === 'id') newId ??= value as string
        else if (relations[name])
          relationships[name] = { data: identifiersOf(value, relations[name].model) }
        else attributes[name] = value
      return { data: { type: plural, id: newId, attributes, relationships } }
    },
    writeInput: (input) => ({ meta: input }),
    readOutput: (document) => document.meta,
    pageLinks: ({ links }) =>
      mapped(links, (link: unknown) => (typeof link === 'string' ? link : undefined)),
  }
}

/** Identifiers for ids; null stays null. */
export function identifiersOf(ids: unknown, type: string): unknown {
  if (Array.isArray(ids)) return ids.map((id) => ({ type, id }))
  return ids === null ? null : { type, id: ids }
}

function idsOf(data: ReceivedDocument): unknown {
  return Array.isArray(data) ? data.map(({ id }) => id) : data === null ? null : data?.id
}
