import type { OwnedRelation, RelationField, ValueField } from '../model/model-description.ts'
import { isWritable, type ModelView } from '../model/model-view.ts'
import { toWords } from '../model/naming.ts'
import { sampleValue } from '../schema/sample-value.ts'
import { validate } from '../schema/standard-schema.ts'
import type { Purpose } from '../serializer/serializer.ts'

/**
 * What a client can send of an item, as an example: by wire names, the relations as identifiers.
 */
export interface ExampleItem {
  /** Of the item that is there, or of a new one where the client has to choose it. */
  readonly id: string | undefined
  readonly values: Readonly<Record<string, unknown>>
  readonly relations: readonly (readonly [relation: OwnedRelation, ids: readonly string[]])[]
}

/**
 * An example that can be sent as it is, again and again: made of the examples of the fields, of the
 * `exampleId` of the models that they relate to, and of what their schemas say. Undefined where a
 * member that has to be sent has none.
 */
export function exampleItem(view: ModelView, purpose: Purpose): ExampleItem | undefined {
  const { model } = view
  const id =
    purpose === 'create'
      ? model.ids === 'client'
        ? `new-${toWords(model.name).replaceAll(' ', '-')}`
        : undefined
      : model.exampleId
  const values = purpose === 'update' ? changedValues(view) : allValues(view, purpose)
  if (!values) return undefined
  const isChange = purpose === 'update' && Object.keys(values).length > 0
  const relations: [OwnedRelation, readonly string[]][] = []
  for (const relation of isChange
    ? []
    : model.ownedRelations.filter((one) => isWritable(view, one))) {
    const ids = exampleIds(relation)
    // An item that is there is not to relate to itself.
    const isOwn =
      purpose !== 'create' && relation.relatedModel === model && relation.example === undefined
    const isRequired = relation.kind === 'toOne' && !relation.isOptional
    if (ids.length > 0 && !isOwn && (purpose === 'create' || isReplaceable(view, relation)))
      relations.push([relation, ids])
    else if (isRequired && purpose !== 'update') return undefined
  }
  return { id, values, relations }
}

/** Identifiers of items that a fresh service has; none where no model says so. */
export function exampleIds({ example, relatedModel, kind }: RelationField): readonly string[] {
  if (example !== undefined)
    return kind === 'toOne' ? [example].flat().slice(0, 1) : [example].flat()
  return relatedModel.exampleId === undefined ? [] : [relatedModel.exampleId]
}

function isReplaceable(view: ModelView, relation: OwnedRelation): boolean {
  return (
    relation.kind === 'toOne' ||
    (relation.isReplaceable && !view.hiddenNames.has(relation.wireName))
  )
}

/**
 * What has to be sent, and what has an example; values that no two items may share are left to
 * whoever needs them.
 */
function allValues(
  view: ModelView,
  purpose: Purpose,
): Readonly<Record<string, unknown>> | undefined {
  const members: [string, unknown][] = []
  for (const field of writableValueFields(view)) {
    const isRequired =
      field.isRequiredInRequest && (purpose === 'create' || !view.hiddenNames.has(field.wireName))
    if (
      !isRequired &&
      (field.isUnique || field.examples.length === 0 || view.hiddenNames.has(field.wireName))
    )
      continue
    const value = exampleOf(field)
    if (value !== undefined) members.push([field.wireName, value])
    else if (isRequired) return undefined
  }
  return Object.fromEntries(members)
}

/** One member that has an example is enough to change an item. */
function changedValues(view: ModelView): Readonly<Record<string, unknown>> {
  const open = writableValueFields(view).filter(
    (field) => !field.isUnique && !view.hiddenNames.has(field.wireName),
  )
  for (const field of [...open.filter(({ examples }) => examples.length > 0), ...open]) {
    const value = exampleOf(field)
    if (value !== undefined) return { [field.wireName]: value }
  }
  return {}
}

function writableValueFields(view: ModelView): readonly ValueField[] {
  return view.model.valueFields.filter(
    (field) => isWritable(view, field) && field.visibility !== 'readOnly',
  )
}

/**
 * The first example of the field that its schema takes, or else a plain value. What holds binary
 * resources is not sent in items.
 */
function exampleOf({ schema, input, examples, nestedResources }: ValueField): unknown {
  const candidates = nestedResources ? [[]] : [...examples, sampleValue(input)]
  return candidates.find((one) => one !== undefined && accepts(schema, one))
}

/** Whether an asynchronous schema takes it, is not known before it is sent. */
function accepts(schema: ValueField['schema'], value: unknown): boolean {
  const validation = validate(schema, value)
  if (validation instanceof Promise) {
    validation.catch(() => undefined)
    return true
  }
  return validation.kind === 'valid'
}
