import { memoizeBy } from '../cache/memoize-by.ts'
import type { ModelDescription } from '../model/model-description.ts'
import { isReadable, type ModelView } from '../model/model-view.ts'
import type { OutgoingGroups } from '../serializer/outgoing-groups.ts'
import type { ItemAnnotations, OutgoingItem } from '../serializer/outgoing-item.ts'
import type { DocumentFacts, Serializer } from '../serializer/serializer.ts'
import { csvCell, type TextKind } from '../text/csv-cell.ts'
import { plainFrame } from './plain-frame.ts'
import { writeFlatItem } from './write-flat-item.ts'

export const csvMediaType = 'text/csv'

const lineBreak = '\r\n'

/**
 * Lists as comma-separated values (RFC 4180): a header with the wire names, and a record for each
 * item. Relations are ids, and values that are neither text, number, boolean nor null are JSON.
 * What the caller may not read is an empty cell. Groups have the names of the request.
 */
export function csvSerializer(view: ModelView, serializer: Serializer): Serializer {
  const all = columnsOf(view)
  const chosen = memoizeBy((members: ReadonlySet<string>) =>
    all.filter(({ name }) => name === 'id' || members.has(name)),
  )
  const columnsFor = ({ members }: Partial<Pick<DocumentFacts, 'members'>>) =>
    members ? chosen(members) : all
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
      // The values are those of JSON, also where mappers return others.
      const values = JSON.parse(writeFlatItem(model, item, urlPrefix))
      const cells = columnsFor(annotations).map(({ name, text }) => csvCell(values[name], text))
      return cells.join(',')
    },
    listFrame: (_: ModelDescription, facts: DocumentFacts) => {
      const names = columnsFor(facts).map(({ name }) => csvCell(name))
      return plainFrame(names.join(',') + lineBreak, '')
    },
    writeGroups: ({ columns, groups }: OutgoingGroups) => {
      const names = columns.map(({ name }) => csvCell(name))
      const records = groups.map((group) =>
        columns.map(({ name, of, text }) => csvCell(group[of][name], text)).join(','),
      )
      return names.join(',') + lineBreak + records.join(lineBreak)
    },
  })
}

interface Column {
  readonly name: string
  readonly text: TextKind
}

/** The members that responses may have. An item does not hold its inverse relations. */
function columnsOf(view: ModelView): readonly Column[] {
  const columns = new Map<string, TextKind>([['id', 'identifier']])
  for (const field of view.model.fields) {
    if (field.kind === 'inverse' || !isReadable(view, field)) continue
    const isIdentifier = field.kind === 'toOne' || field.kind === 'hash'
    columns.set(field.wireName, isIdentifier ? 'identifier' : 'free')
  }
  // A mapper may add a member in place of one that it hides.
  for (const name of view.addedMembers.keys()) columns.set(name, 'free')
  return [...columns].map(([name, text]) => ({ name, text }))
}
