import type { OwnedRelation, RelationField, ValueField } from '../model/description.ts'
import { isWritable, type ModelView } from '../model/model-view.ts'
import { inWords } from '../model/naming.ts'
import { sampleOf } from '../schema/sample.ts'
import { validate } from '../schema/standard-schema.ts'
import type { Purpose } from '../serializer/serializer.ts'

/** What a client can send of an item, as an example: by wire names, the relations as identifiers. */
export interface ExampleItem {
  /** Of the item that is there, or of a new one where the client has to choose it. */
  readonly id: string | undefined
  readonly values: Readonly<Record<string, unknown>>
  readonly relations: readonly (readonly [relation: OwnedRelation, ids: readonly string[]])[]
}

/**
 * An example that can be sent as it is, again and again: made of the examples of the fields, of the `exampleId` of the models that they relate to, and of
 * what their schemas say. Undefined where a member that has to be sent has none.
 */
export function exampleItem(view: ModelView, purpose: Purpose): ExampleItem | undefined {
  const { model } = view
  const id =
    purpose === 'create'
      ? model.ids === 'client'
        ? `new-${inWords(model.name).replaceAll(' ', '-')}`
        : undefined
      : model.exampleId
  const values = purpose === 'update' ? changedValues(view) : allValues(view, purpose)
  if (!values) return undefined
  const isChange = purpose === 'update' && Object.keys(values).length > 0
  const relations: [OwnedRelation, readonly string[]][] = []
  for (const relation of isChange ? [] : model.owned.filter((one) => isWritable(view, one))) {
    const ids = exampleIds(relation)
    // An item that is there is not to relate to itself.
    const isOwn = purpose !== 'create' && relation.target === model && relation.example === undefined
    const isRequired = relation.kind === 'toOne' && !relation.optional
    if (ids.length > 0 && !isOwn && (purpose === 'create' || isReplaceable(view, relation)))
      relations.push([relation, ids])
    else if (isRequired && purpose !== 'update') return undefined
  }
  return { id, values, relations }
}

/** Identifiers of items that a fresh service has; none where no model says so. */
export function exampleIds({ example, target, kind }: RelationField): readonly string[] {
  if (example !== undefined) return kind === 'toOne' ? [example].flat().slice(0, 1) : [example].flat()
  return target.exampleId === undefined ? [] : [target.exampleId]
}

function isReplaceable(view: ModelView, relation: OwnedRelation): boolean {
  return relation.kind === 'toOne' || (relation.replaceable && !view.hides.has(relation.wire))
}

/** What has to be sent, and what has an example; values that no two items may share are left to whoever needs them. */
function allValues(view: ModelView, purpose: Purpose): Readonly<Record<string, unknown>> | undefined {
  const members: [string, unknown][] = []
  for (const field of taken(view)) {
    const isRequired = field.requiredIn && (purpose === 'create' || !view.hides.has(field.wire))
    if (!isRequired && (field.unique || field.examples.length === 0 || view.hides.has(field.wire))) continue
    const value = exampleOf(field)
    if (value !== undefined) members.push([field.wire, value])
    else if (isRequired) return undefined
  }
  return Object.fromEntries(members)
}

/** One member that has an example is enough to change an item. */
function changedValues(view: ModelView): Readonly<Record<string, unknown>> {
  const open = taken(view).filter((field) => !field.unique && !view.hides.has(field.wire))
  for (const field of [...open.filter(({ examples }) => examples.length > 0), ...open]) {
    const value = exampleOf(field)
    if (value !== undefined) return { [field.wire]: value }
  }
  return {}
}

function taken(view: ModelView): readonly ValueField[] {
  return view.model.values.filter((field) => isWritable(view, field) && field.visibility !== 'readOnly')
}

/** The first example of the field that its schema takes, or else a plain value. What holds binary resources is not sent in items. */
function exampleOf({ schema, input, examples, resources }: ValueField): unknown {
  const candidates = resources ? [[]] : [...examples, sampleOf(input)]
  return candidates.find((one) => one !== undefined && takes(schema, one))
}

/** Whether an asynchronous schema takes it, is not known before it is sent. */
function takes(schema: ValueField['schema'], value: unknown): boolean {
  const validation = validate(schema, value)
  if (validation instanceof Promise) {
    validation.catch(() => undefined)
    return true
  }
  return validation.kind === 'valid'
}
