import { describeActions } from './describe-actions.ts'
import { describeIndexes } from './describe-indexes.ts'
import { describeResource, slotsOf } from './describe-resource.ts'
import { describeValue } from './describe-value.ts'
import type {
  FieldDescription,
  HashField,
  InboundRelation,
  InverseField,
  ModelDescription,
  OwnedRelation,
  ResourceField,
  ToManyField,
  ToOneField,
  ValueField,
} from './description.ts'
import type { FieldDefinition, ToManyDefinition, ToOneDefinition } from './field.ts'
import { isRelation } from './is-relation.ts'
import type { AnyModel } from './model.ts'
import { isMemberName, pluralOf } from './naming.ts'
import { RegistrationError } from './registration-error.ts'
import { wireOf } from './wire.ts'

type Draft<T> = { -readonly [K in keyof T]: T[K] }

/**
 * Checks the models and links them with one another.
 * @throws RegistrationError saying which model and field is wrong, and what would be right.
 */
export function describe(models: readonly AnyModel[]): readonly ModelDescription[] {
  const drafts = new Map<string, Draft<ModelDescription>>()
  for (const model of models) {
    const draft = outline(model)
    refuseClash(draft, [...drafts.values()])
    drafts.set(draft.name, draft)
  }
  for (const draft of drafts.values()) addFields(draft, drafts)
  for (const draft of drafts.values()) linkInverses(draft)
  for (const draft of drafts.values()) draft.actions = Object.freeze(describeActions(draft))
  for (const draft of drafts.values()) draft.inbound = Object.freeze(inboundOf(draft, [...drafts.values()]))
  return [...drafts.values()].map((draft) => Object.freeze(draft))
}

function outline(model: AnyModel): Draft<ModelDescription> {
  const { modelName: name, options } = model
  const plural = options.plural ?? pluralOf(name)
  for (const word of [name, plural]) {
    if (!isMemberName(word)) {
      throw new RegistrationError(
        `The model '${name}' cannot be called '${word}': a name starts with a letter and holds letters, digits, '-' and '_' only.`,
      )
    }
  }
  if (plural === name) {
    throw new RegistrationError(
      `The model '${name}' needs a plural that differs from its name; give one with { plural: '…' }.`,
    )
  }
  return {
    name,
    plural,
    model,
    description: options.description,
    ids: options.ids ?? 'either',
    upsert: options.upsert ?? false,
    requireMatch: options.requireMatch ?? false,
    fields: [],
    byName: new Map(),
    byWire: new Map(),
    values: [],
    resources: [],
    slots: [],
    relations: [],
    owned: [],
    inbound: [],
    hash: undefined,
    indexes: [],
    actions: [],
  }
}

function refuseClash(draft: ModelDescription, others: readonly ModelDescription[]): void {
  for (const other of others) {
    if (other.name === draft.name)
      throw new RegistrationError(
        `Two models are called '${draft.name}'; each model is registered once, under a name of its own.`,
      )
    if (other.plural === draft.plural) {
      throw new RegistrationError(
        `The models '${other.name}' and '${draft.name}' share the plural '${draft.plural}'; give one of them another with { plural: '…' }.`,
      )
    }
  }
}

function addFields(draft: Draft<ModelDescription>, models: ReadonlyMap<string, ModelDescription>): void {
  const fields = Object.entries(draft.model.fields).map(([name, definition]) =>
    describeField(draft, name, definition, models),
  )
  draft.fields = Object.freeze(fields)
  draft.byName = new Map(fields.map((field) => [field.name, field]))
  draft.byWire = uniqueWires(draft, fields)
  draft.values = Object.freeze(fields.filter((field): field is ValueField => field.kind === 'value'))
  draft.resources = Object.freeze(fields.filter((field): field is ResourceField => field.kind === 'resource'))
  draft.slots = Object.freeze(slotsOf(fields))
  draft.relations = Object.freeze(fields.filter(isRelation))
  draft.owned = Object.freeze(
    fields.filter((field): field is OwnedRelation => field.kind === 'toOne' || field.kind === 'toMany'),
  )
  const hashes = fields.filter((field): field is HashField => field.kind === 'hash')
  if (hashes.length > 1)
    throw new RegistrationError(`The model '${draft.name}' has ${hashes.length} hash fields; an item has one version.`)
  draft.hash = hashes[0]
  draft.indexes = describeIndexes(draft)
}

function describeField(
  model: ModelDescription,
  name: string,
  definition: FieldDefinition,
  models: ReadonlyMap<string, ModelDescription>,
): FieldDescription {
  const place = `the field '${name}' of the model '${model.name}'`
  if (name === 'id')
    throw new RegistrationError(
      `The model '${model.name}' declares 'id', which every model has already: a string that identifies the item.`,
    )
  if (!isMemberName(name))
    throw new RegistrationError(
      `${place} cannot be called so: a name starts with a letter and holds letters, digits, '-' and '_' only.`,
    )
  if (name === 'hash' && !isHash(definition)) {
    throw new RegistrationError(
      `${place} must be declared by hash(): it is the item's version, and the source of its ETag.`,
    )
  }
  if (typeof definition !== 'object' && typeof definition !== 'function') throw notAField(place)
  if (definition === null) throw notAField(place)
  if ('~standard' in definition) return describeValue(place, name, definition, {})
  if (definition.kind === 'value') return describeValue(place, name, definition.schema, definition.options)
  if (definition.kind === 'hash') return describeHash(place, name)
  if (definition.kind === 'resource') return describeResource(place, name, definition)
  return definition.kind === 'toOne'
    ? describeToOne(place, name, definition, models)
    : describeToMany(place, name, definition, models)
}

function isHash(definition: FieldDefinition): boolean {
  return typeof definition === 'object' && definition !== null && 'kind' in definition && definition.kind === 'hash'
}

function notAField(place: string): RegistrationError {
  return new RegistrationError(
    `${place} is neither a schema (Standard Schema 1, such as zod 4's) nor made by field(), a relation, a resource or hash(); it may be undefined by a circle of imports.`,
  )
}

function describeHash(place: string, name: string): HashField {
  if (name !== 'hash') throw new RegistrationError(`${place} is declared by hash(), so it must be called 'hash'.`)
  return { kind: 'hash', name, wire: name, description: "The item's version; it changes with every change of the item" }
}

function describeToOne(
  place: string,
  name: string,
  { target, options }: ToOneDefinition<unknown>,
  models: ReadonlyMap<string, ModelDescription>,
): ToOneField {
  const optional = options.optional ?? false
  const onDelete = options.onDelete ?? (optional ? 'set-null' : 'restrict')
  if (onDelete === 'set-null' && !optional) {
    throw new RegistrationError(
      `${place} is required, so deleting what it refers to cannot set it to null; make it optional, or choose 'restrict' or 'cascade'.`,
    )
  }
  return {
    kind: 'toOne',
    name,
    wire: wireOf(place, name, options.wire),
    description: options.description,
    target: targetOf(place, target, models),
    optional,
    onDelete,
  }
}

function describeToMany(
  place: string,
  name: string,
  { target, options }: ToManyDefinition<unknown>,
  models: ReadonlyMap<string, ModelDescription>,
): ToManyField | InverseField {
  const common = {
    name,
    wire: wireOf(place, name, options.wire),
    description: options.description,
    target: targetOf(place, target, models),
    replaceable: options.replace ?? true,
  }
  // The relation it mirrors is known only once every model has its fields.
  return options.inverse === undefined
    ? { kind: 'toMany', ...common }
    : { kind: 'inverse', ...common, of: undefined as never }
}

function linkInverses(draft: ModelDescription): void {
  for (const field of draft.relations) {
    if (field.kind !== 'inverse') continue
    const { inverse } = (draft.model.fields[field.name] as ToManyDefinition).options
    const of = field.target.owned.find((relation) => relation.name === inverse)
    if (!of || of.target !== draft) {
      throw new RegistrationError(
        `the field '${field.name}' of the model '${draft.name}' is the inverse of '${inverse}', but '${field.target.name}' has no relation of that name to '${draft.name}'.`,
      )
    }
    ;(field as Draft<InverseField>).of = of
  }
}

function inboundOf(model: ModelDescription, models: readonly ModelDescription[]): InboundRelation[] {
  return models.flatMap((from) =>
    from.owned.filter((relation) => relation.target === model).map((relation) => ({ from, relation })),
  )
}

function targetOf(place: string, target: string, models: ReadonlyMap<string, ModelDescription>): ModelDescription {
  const found = models.get(target)
  if (found) return found
  throw new RegistrationError(
    `${place} refers to the model '${target}', which is not registered; registered are ${[...models.keys()].join(', ')}.`,
  )
}

function uniqueWires(
  model: ModelDescription,
  fields: readonly FieldDescription[],
): ReadonlyMap<string, FieldDescription> {
  const byWire = new Map<string, FieldDescription>()
  for (const field of fields) {
    const other = byWire.get(field.wire)
    if (other)
      throw new RegistrationError(
        `The fields '${other.name}' and '${field.name}' of the model '${model.name}' are both called '${field.wire}' on the wire.`,
      )
    byWire.set(field.wire, field)
  }
  return byWire
}
