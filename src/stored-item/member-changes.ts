import {
  isDerivedField,
  type ModelDescription,
  type OwnedRelation,
  type ValueField,
} from '../model/model-description.ts'
import type { Schema } from '../schema/standard-schema.ts'
import { isShown } from './create-stored-item.ts'
import { fingerprintEntries, fingerprintEntry } from './migrate-item.ts'
import { storedNames } from './stored-names.ts'

/** What becomes of one member in the texts of items. Names are wire names. */
export type MemberChange =
  | { readonly kind: 'renamed'; readonly from: string; readonly to: string }
  | {
      readonly kind: 'added'
      readonly name: string
      readonly schema: Schema
      /** The fields after it that clients see, in the order of the model. */
      readonly following: readonly string[]
    }
  /** An optional field: items get it when they are next written. */
  | { readonly kind: 'optional'; readonly name: string }

/**
 * What a change of a model does to the texts of its items, where it renames members and adds
 * fields, and clients see all of them. Undefined where it does anything else.
 *
 * @param writtenUnder the entries of the fingerprint under which the items were written
 */
export function memberChanges(
  model: ModelDescription,
  writtenUnder: ReadonlySet<string>,
): readonly MemberChange[] | undefined {
  const fields = [...model.valueFields, ...model.ownedRelations]
  const fieldEntries = new Set(fields.map(fingerprintEntry))
  const others = fingerprintEntries(model).filter((entry) => !fieldEntries.has(entry))
  if (!others.every((entry) => writtenUnder.has(entry))) return undefined
  const former = new Map(
    [...writtenUnder]
      .filter((entry) => !others.includes(entry))
      .map((entry) => [String(JSON.parse(entry)[0]), entry] as const),
  )
  const changes: MemberChange[] = []
  for (const field of fields) {
    const [from, ...more] = storedNames(model, field).filter((name) => former.has(name))
    const change =
      from === undefined ? additionOf(model, field) : renamingOf(field, from, former.get(from)!)
    if (!change || more.length > 0) return undefined
    if (from !== undefined) former.delete(from)
    if (change !== 'same') changes.push(change)
  }
  return former.size === 0 ? changes : undefined
}

/** Do all items have a member that a model requires, also if they have it under a former name? */
export function haveMember(
  model: ModelDescription,
  field: ValueField | OwnedRelation,
  writtenUnder: ReadonlySet<string>,
): boolean {
  const names = storedNames(model, field)
  return Array.from(writtenUnder).some(
    (entry) => names.includes(JSON.parse(entry)[0]) && hasForm(field, entry),
  )
}

function additionOf(
  model: ModelDescription,
  field: ValueField | OwnedRelation,
): MemberChange | undefined {
  // What is derived is made of a whole item.
  if (field.kind !== 'value' || isDerivedField(field)) return undefined
  const { wireName: name, schema } = field
  if (!field.isRequiredInResponse) return { kind: 'optional', name }
  if (!isShown(field)) return undefined
  const following = model.valueFields.slice(model.valueFields.indexOf(field) + 1).filter(isShown)
  return { kind: 'added', name, schema, following: following.map(({ wireName }) => wireName) }
}

function renamingOf(
  field: ValueField | OwnedRelation,
  from: string,
  formerEntry: string,
): MemberChange | 'same' | undefined {
  const { wireName: to } = field
  if (!hasForm(field, formerEntry)) return undefined
  if (field.kind === 'value' && isDerivedField(field))
    return formerEntry === fingerprintEntry(field) ? 'same' : undefined
  if (from === to) return 'same'
  const isPlain = field.kind !== 'value' || (isShown(field) && !field.nestedResources)
  return isPlain ? { kind: 'renamed', from, to } : undefined
}

/** Is a value of the entry one of the field, and in the same text? */
function hasForm(field: ValueField | OwnedRelation, formerEntry: string): boolean {
  const [, kind, isRequired] = JSON.parse(fingerprintEntry(field))
  const [, formerKind, wasRequired] = JSON.parse(formerEntry)
  return formerKind === kind && (wasRequired === isRequired || wasRequired === true)
}
