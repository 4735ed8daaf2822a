import { memoizeBy } from '../cache/memoize-by.ts'
import type { ModelDescription } from '../model/model-description.ts'
import { isReadable, type ModelView } from '../model/model-view.ts'
import type { ItemAnnotations, OutgoingItem } from '../serializer/outgoing-item.ts'
import type { DocumentFacts, Serializer } from '../serializer/serializer.ts'
import { csvRow } from '../text/csv-row.ts'
import { plainFrame } from './plain-frame.ts'
import { writeFlatItem } from './write-flat-item.ts'

export const csvMediaType = 'text/csv'

const lineBreak = '\r\n'

/**
 * Lists as comma-separated values (RFC 4180): a header with the wire names, and a record for each
 * item. Relations are ids, and values that are neither text, number, boolean nor null are JSON.
 * What the caller may not read is an empty cell.
 */
export function csvSerializer(view: ModelView, serializer: Serializer): Serializer {
  const all = columnNames(view)
  const selected = memoizeBy((members: ReadonlySet<string>) =>
    all.filter((name) => name === 'id' || members.has(name)),
  )
  const columnsOf = ({ members }: Partial<Pick<DocumentFacts, 'members'>>) =>
    members ? selected(members) : all
  return Object.freeze({
    ...serializer,
    mediaType: csvMediaType,
    linkage: 'owned',
    sendsRawJson: false,
    separator: lineBreak,
    writeItem: (
      model: ModelDescription,
      item: OutgoingItem,
      urlPrefix: string,
      annotations: ItemAnnotations,
    ) => {
      const values = flatValues(model, item, urlPrefix)
      return csvRow(columnsOf(annotations).map((name) => values[name]))
    },
    listFrame: (_: ModelDescription, facts: DocumentFacts) =>
      plainFrame(csvRow(columnsOf(facts)) + lineBreak, ''),
  })
}

/** The wire names that responses may have. An item does not hold its inverse relations. */
function columnNames(view: ModelView): readonly string[] {
  const names = view.model.fields
    .filter((field) => field.kind !== 'inverse' && isReadable(view, field))
    .map(({ wireName }) => wireName)
  return [...new Set(['id', ...names, ...view.addedMembers.keys()])]
}

function flatValues(
  model: ModelDescription,
  item: OutgoingItem,
  urlPrefix: string,
): Readonly<Record<string, unknown>> {
  if (item.kind === 'stored') return JSON.parse(writeFlatItem(model, item, urlPrefix))
  const { id, attributes, relations, resources, hash } = item
  const hashName = model.hashField?.wireName
  return {
    id,
    ...attributes,
    ...relations,
    ...resources,
    ...(hashName !== undefined && { [hashName]: hash }),
  }
}
