import type { OwnedRelation, RelationField, ValueField } from '../model/model-description.ts'
import { isWritable, type ModelView } from '../model/model-view.ts'
import { toWords } from '../model/naming.ts'
import { isReadOnlyRelation } from '../model/relation-kinds.ts'
import { sampleValue } from '../schema/sample-value.ts'
import { validate } from '../schema/standard-schema.ts'
import type { Purpose } from '../serializer/serializer.ts'

/** An example of the item that a client can send: values by wire name, relations as ids. */
export interface ExampleItem {
  /** The id of an existing item, or of a new one if the client has to choose it. */
  readonly id: string | undefined
  readonly values: Readonly<Record<string, unknown>>
  readonly relations: readonly (readonly [relation: OwnedRelation, ids: readonly string[]])[]
}

/**
 * An example that clients can send unchanged and repeatedly. It consists of the examples of the
 * fields, the `exampleId` of related models, and samples of the schemas. Undefined if a required
 * member has no example.
 *
 * ```ts
 * const example = exampleItem(view, 'create')
 * const document = example && { data: { type: view.model.plural, attributes: example.values } }
 * ```
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
    : model.ownedRelations.filter(
        (relation) =>
          isWritable(view, relation) &&
          !isReadOnlyRelation(relation) &&
          !isSetByService(relation) &&
          !view.unsettableNames.has(relation.wireName),
      )) {
    const ids = exampleIds(relation)
    // The example of an existing item must not relate the item to itself.
    const relatesToItself =
      purpose !== 'create' && relation.relatedModel === model && relation.example === undefined
    const isRequired = relation.kind === 'toOne' && !relation.isOptional
    if (
      ids.length > 0 &&
      !relatesToItself &&
      (purpose === 'create' || isReplaceable(view, relation))
    )
      relations.push([relation, ids])
    else if (isRequired && purpose !== 'update') return undefined
  }
  return { id, values, relations }
}

/** Ids of items that a new service has; empty if the model names none. */
export function exampleIds({ example, relatedModel, kind }: RelationField): readonly string[] {
  if (example !== undefined)
    return kind === 'toOne' ? [example].flat().slice(0, 1) : [example].flat()
  return relatedModel.exampleId === undefined ? [] : [relatedModel.exampleId]
}

/** Only some clients may send another value. */
function isSetByService(relation: OwnedRelation): boolean {
  return relation.kind === 'toOne' && relation.from !== undefined
}

function isReplaceable(view: ModelView, relation: OwnedRelation): boolean {
  return (
    relation.kind === 'toOne' ||
    (relation.isReplaceable && !view.hiddenNames.has(relation.wireName))
  )
}

/**
 * Required values, and values with an example. Unique ones, and parts of unique sets, stand only
 * where required.
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
      (isUnique(view, field) || field.examples.length === 0 || view.hiddenNames.has(field.wireName))
    )
      continue
    const value = exampleOf(field)
    if (value !== undefined) members.push([field.wireName, value])
    else if (isRequired) return undefined
  }
  return Object.fromEntries(members)
}

/** One member is enough to change an item; a member with an example comes first. */
function changedValues(view: ModelView): Readonly<Record<string, unknown>> {
  const fields = writableValueFields(view).filter(
    (field) => !isUnique(view, field) && !view.hiddenNames.has(field.wireName),
  )
  for (const field of [...fields.filter(({ examples }) => examples.length > 0), ...fields]) {
    const value = exampleOf(field)
    if (value !== undefined) return { [field.wireName]: value }
  }
  return {}
}

function isUnique({ model }: ModelView, field: ValueField): boolean {
  return field.isUnique || model.uniqueSets.some(({ fields }) => fields.includes(field))
}

function writableValueFields(view: ModelView): readonly ValueField[] {
  return view.model.valueFields.filter(
    (field) =>
      isWritable(view, field) &&
      field.visibility !== 'readOnly' &&
      !field.from &&
      !view.unsettableNames.has(field.wireName),
  )
}

/**
 * The first example of the field that its schema accepts, or else a sample of the schema. Lists
 * with binary resources are empty: clients upload resources to their own URLs.
 */
function exampleOf({ schema, input, examples, nestedResources }: ValueField): unknown {
  const candidates = nestedResources ? [[]] : [...examples, sampleValue(input)]
  return candidates.find((value) => value !== undefined && accepts(schema, value))
}

/** The result of an asynchronous schema is not known here, so it counts as accepting. */
function accepts(schema: ValueField['schema'], value: unknown): boolean {
  const validation = validate(schema, value)
  if (validation instanceof Promise) {
    validation.catch(() => undefined)
    return true
  }
  return validation.kind === 'valid'
}
