import { memoizeBy } from '../cache/memoize-by.ts'
import {
  type DerivedField,
  isDerivedField,
  type ModelDescription,
  type OwnedRelation,
  type ValueField,
} from '../model/model-description.ts'
import { isRequiredRelation } from '../model/relation-kinds.ts'
import { StoredResource } from '../model/stored-resource.ts'
import { createStoredItem, hasSameContent, isShown } from './create-stored-item.ts'
import { defaultValueOf } from './default-value.ts'
import { withFormerDerivedValues, withValuesDerivedAgain } from './derived-values.ts'
import { blobKeysMember, ResourceWriter, restoreResources } from './item-resources.ts'
import { isLinkageValue } from './linkage.ts'
import { migrateTexts } from './migrate-texts.ts'
import type { StoredItem, StoredValues } from './stored-item.ts'
import { formerNamesOf, storedNames } from './stored-names.ts'
import { withHiddenMembers } from './undeclared-members.ts'

type Members = Record<string, unknown>

/**
 * Rewrites an item that an older version of its model wrote, as the model writes it now. Fields
 * that became hidden leave the text that clients see. Renamed fields get the values of their former
 * names, and new fields their default, null or an empty array. Members that the model no longer has
 * are archived among the hidden members, and come back when the model declares them again. Returns
 * the item itself if nothing changes.
 *
 * ```ts
 * const migrated = await migrateItem(book, item)
 * const mustBeWritten = migrated !== item
 * ```
 */
export function migrateItem(model: ModelDescription, item: StoredItem): Promise<StoredItem> {
  return migrated(model, item, withValuesDerivedAgain)
}

/**
 * The same for a state that an item had before, such as one in the log of changes: what its code
 * can derive no more stays as it was.
 */
export function migrateFormerItem(model: ModelDescription, item: StoredItem): Promise<StoredItem> {
  return migrated(model, item, withFormerDerivedValues)
}

async function migrated(
  model: ModelDescription,
  item: StoredItem,
  derive: DeriveValues,
): Promise<StoredItem> {
  const result = await (model.derivedFields.length > 0
    ? migrateValues(model, item, derive)
    : (migrateTexts(model, item) ?? migrateValues(model, item, derive)))
  return hasSameContent(result, item) ? item : result
}

type DeriveValues = (model: ModelDescription, values: StoredValues) => StoredValues

/** The migrated item, whose text is parsed and written again. */
export async function migrateValues(
  model: ModelDescription,
  item: StoredItem,
  derive: DeriveValues = withValuesDerivedAgain,
): Promise<StoredItem> {
  const shown: Members = JSON.parse(item.text)
  const hidden: Members = item.hiddenText === null ? {} : JSON.parse(item.hiddenText)
  const blobKeys = hidden[blobKeysMember]
  if (blobKeys !== undefined) restoreResources(shown, hidden)
  const stored: Members = item.hiddenText === null ? shown : { ...hidden, ...shown }
  const values: { id: string; [name: string]: unknown } = { id: item.id }
  const known = new Set(namesOfNoMember)
  for (const { field, names } of membersOf(model)) {
    const name = names.find((name) => !known.has(name) && Object.hasOwn(stored, name))
    if (name === undefined) continue
    const value = stored[name]
    if (!canHoldValue(model, item.id, field, value)) continue
    values[field.name] = value
    known.add(name)
  }
  for (const field of model.valueFields)
    if (field.isRequiredInResponse && !isDerivedField(field) && !Object.hasOwn(values, field.name))
      values[field.name] = await defaultValueOf(field.schema)
  const created = createStoredItem(model, derive(model, values), item.revision + 1)
  const unknown = Object.keys(stored).filter((name) => !known.has(name))
  const isComplete = unknown.length === 0 && blobKeys === undefined
  return isComplete
    ? created
    : withHiddenMembers(created, {
        members: Object.fromEntries(unknown.map((name) => [name, stored[name]])),
        blobKeys: (blobKeys ?? {}) as Record<string, string>,
      })
}

/** What the JSON of an item has beside its members. */
const namesOfNoMember = ['id', 'hash', blobKeysMember]

const membersOf = memoizeBy((model: ModelDescription) =>
  [...model.valueFields, ...model.ownedRelations, ...model.resourceFields].map((field) => ({
    field,
    names: storedNames(model, field),
  })),
)

/**
 * Everything of a model that decides where the members of a stored item are. Items that were
 * written under the same fingerprint need no migration.
 *
 * ```ts
 * const writtenUnder = 'the fingerprint that the store keeps'
 * const needsMigration = schemaFingerprint(book) !== writtenUnder
 * ```
 */
export function schemaFingerprint(model: ModelDescription): string {
  return JSON.stringify(fingerprintEntries(model).sort())
}

/** What a fingerprint says of each member. */
export function fingerprintEntries(model: ModelDescription): string[] {
  return [
    ...model.valueFields.map(fingerprintEntry),
    ...model.ownedRelations.map(fingerprintEntry),
    ...model.resourcePaths.map(({ itemField, segments }) =>
      JSON.stringify([
        segments.join('/'),
        isShown(itemField) ? 'resource' : 'hidden resource',
        ...(itemField.kind === 'resource' ? formerNamesOf(itemField) : []),
      ]),
    ),
    ...(model.hashField ? [JSON.stringify([model.hashField.wireName, 'hash'])] : []),
  ]
}

/** What a fingerprint says of a value field or a relation. */
export function fingerprintEntry(field: ValueField | OwnedRelation): string {
  const form =
    field.kind === 'value'
      ? [
          isShown(field) ? 'shown' : 'hidden',
          field.isRequiredInResponse,
          ...(isDerivedField(field) ? [{ derived: field.computed.version }] : []),
        ]
      : [field.kind, ...(field.kind === 'toOne' ? [isRequiredRelation(field)] : [])]
  return JSON.stringify([field.wireName, ...form, ...formerNamesOf(field)])
}

/** The entry of a derived field in a fingerprint that may have another version of it. */
export function entryOfAnyVersion(
  field: DerivedField,
  entries: Iterable<string>,
): string | undefined {
  const own = withoutVersion(fingerprintEntry(field))
  return [...entries].find((entry) => withoutVersion(entry) === own)
}

function withoutVersion(entry: string): string {
  return JSON.stringify(JSON.parse(entry), (key, value) => (key === 'derived' ? 0 : value))
}

/** The wire names of the members that a model had, by the entries of its fingerprint. */
export function membersInFingerprint(entries: Iterable<string>): ReadonlySet<string> {
  const names = Array.from(entries, (entry) => String(JSON.parse(entry)[0]))
  return new Set(names.map((name) => name.split('/', 1)[0]!))
}

/**
 * A value stays as it is, even if its schema has changed. But a relation holds only linkage, a file
 * field only a resource, and no other field holds a resource, because its bytes would be lost.
 */
function canHoldValue(
  model: ModelDescription,
  id: string,
  field: ValueField | OwnedRelation | ModelDescription['resourceFields'][number],
  value: unknown,
): boolean {
  if (field.kind === 'toOne' || field.kind === 'toMany') return isLinkageValue(field, value)
  if (field.kind === 'resource') return value === null || value instanceof StoredResource
  if (!field.nestedResources) return !(value instanceof StoredResource)
  try {
    new ResourceWriter(model, id).writeValue(field.nestedResources, value, field.wireName)
    return true
  } catch {
    return false
  }
}
