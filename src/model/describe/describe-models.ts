import type { AnyModel, ModelOptions } from '../declare/model.ts'
import { checkExampleId } from '../id.ts'
import {
  type CodedField,
  type Draft,
  type FieldDescription,
  type HashField,
  isRelation,
  type ModelDescription,
  type OwnedRelation,
  type ResourceField,
  type TimestampField,
  type ToOneField,
  type ValueField,
} from '../model-description.ts'
import { isMemberName, memberNameRules, pluralOf } from '../naming.ts'
import { RegistrationError } from '../registration-error.ts'
import { describeActions } from './describe-actions.ts'
import { describeCheck } from './describe-check.ts'
import { describeField } from './describe-field.ts'
import { describeImmutability } from './describe-immutability.ts'
import { describeIndexes } from './describe-indexes.ts'
import { inboundOf, linkInverses } from './describe-relations.ts'
import { resourcePathsOf } from './describe-resource.ts'
import { describeModelStorage, refuseSharedColumns } from './describe-storage.ts'
import {
  noAdditions,
  type RouterAdditions,
  uniqueRangesOf,
  uniqueSetsOf,
  withAdditions,
} from './router-additions.ts'
import { withIndexesOfRanges, withRangeCheck } from './unique-ranges.ts'

/**
 * Checks the models and links them with one another. The descriptions are in the order of the
 * models.
 *
 * ```ts
 * const [book, author, genre] = describeModels([Book, Author, Genre])
 * ```
 *
 * @throws RegistrationError if a declaration is invalid, or two models contradict each other
 */
export function describeModels(models: readonly AnyModel[]): readonly ModelDescription[] {
  return describeRouterModels(models, new Map())
}

/**
 * The models as a router has them.
 * @param additions what the router adds to single models
 * @throws RegistrationError if a declaration is invalid, or two models contradict each other
 */
export function describeRouterModels(
  models: readonly AnyModel[],
  additions: ReadonlyMap<AnyModel, RouterAdditions>,
): readonly ModelDescription[] {
  const drafts = new Map<string, Draft<ModelDescription>>()
  for (const model of models) {
    const draft = draftModel(model)
    refuseNameClash(draft, [...drafts.values()])
    drafts.set(draft.name, draft)
  }
  for (const draft of drafts.values())
    addFields(draft, drafts, additions.get(draft.model) ?? noAdditions)
  for (const draft of drafts.values()) linkInverses(draft)
  for (const draft of drafts.values()) draft.actions = Object.freeze(describeActions(draft))
  for (const draft of drafts.values())
    draft.inboundRelations = Object.freeze(inboundOf(draft, [...drafts.values()]))
  return [...drafts.values()].map((draft) => Object.freeze(draft))
}

function draftModel(model: AnyModel): Draft<ModelDescription> {
  const { modelName: name, options } = model
  const plural = options.plural ?? pluralOf(name)
  if (!isMemberName(name))
    throw new RegistrationError(`The model '${name}' has an invalid name: ${memberNameRules}.`)
  if (!isMemberName(plural))
    throw new RegistrationError(
      `The model '${name}' has the invalid plural '${plural}': ${memberNameRules}.`,
    )
  if (plural === name) {
    throw new RegistrationError(
      `The plural of the model '${name}' is the same as its name. Set another with { plural: '…' }.`,
    )
  }
  if (options.readOnly) refuseWriteOptions(name, options)
  if (options.exampleId !== undefined)
    checkExampleId(`The exampleId of the model '${name}'`, options.exampleId)
  return {
    name,
    plural,
    model,
    description: options.description,
    ids: options.ids ?? 'either',
    allowsUpsert: options.upsert ?? false,
    requiresIfMatch: options.requireMatch ?? false,
    isReadOnly: options.readOnly ?? false,
    exampleId: options.exampleId,
    fields: [],
    fieldsByName: new Map(),
    fieldsByWireName: new Map(),
    valueFields: [],
    resourceFields: [],
    resourcePaths: [],
    relations: [],
    ownedRelations: [],
    inboundRelations: [],
    hashField: undefined,
    indexes: [],
    uniqueSets: [],
    uniqueRanges: [],
    storage: describeModelStorage(name, plural, options),
    ...describeCheck(name, options.validate),
    immutability: undefined,
    immutableFields: [],
    codedFields: [],
    timestampFields: [],
    serviceFields: [],
    actions: [],
  }
}

/** @throws RegistrationError for an option that only matters to writes of clients */
function refuseWriteOptions(name: string, options: ModelOptions): void {
  const refused = (['upsert', 'requireMatch'] as const).filter((key) => options[key])
  if (refused.length > 0)
    throw new RegistrationError(
      `Clients only read the model '${name}' (readOnly), so ${refused.map((option) => `'${option}'`).join(' and ')}, about what they write, ${refused.length === 1 ? 'has' : 'have'} no use. Remove ${refused.length === 1 ? 'it' : 'them'}, or the option 'readOnly'.`,
    )
}

function refuseNameClash(draft: ModelDescription, others: readonly ModelDescription[]): void {
  for (const other of others) {
    if (other.name === draft.name)
      throw new RegistrationError(
        `Two models have the name '${draft.name}'. Register each model once, with a unique name.`,
      )
    if (other.plural === draft.plural) {
      throw new RegistrationError(
        `The models '${other.name}' and '${draft.name}' have the same plural '${draft.plural}'. Set another with { plural: '…' }.`,
      )
    }
  }
}

function addFields(
  draft: Draft<ModelDescription>,
  models: ReadonlyMap<string, ModelDescription>,
  additions: RouterAdditions,
): void {
  const fields = Object.entries(draft.model.fields).map(([name, definition]) =>
    withAdditions(describeField(draft, name, definition, models), additions),
  )
  draft.fields = Object.freeze(fields)
  draft.fieldsByName = new Map(fields.map((field) => [field.name, field]))
  draft.fieldsByWireName = indexByWireName(draft, fields)
  draft.valueFields = Object.freeze(
    fields.filter((field): field is ValueField => field.kind === 'value'),
  )
  draft.resourceFields = Object.freeze(
    fields.filter((field): field is ResourceField => field.kind === 'resource'),
  )
  draft.resourcePaths = Object.freeze(resourcePathsOf(fields))
  draft.relations = Object.freeze(fields.filter(isRelation))
  draft.ownedRelations = Object.freeze(
    fields.filter(
      (field): field is OwnedRelation => field.kind === 'toOne' || field.kind === 'toMany',
    ),
  )
  draft.immutableFields = Object.freeze(fields.filter(isImmutable))
  draft.codedFields = Object.freeze(draft.valueFields.filter(isCoded))
  draft.timestampFields = Object.freeze(draft.valueFields.filter(isTimestamp))
  draft.serviceFields = Object.freeze(fields.filter(isSetByService))
  const hashes = fields.filter((field): field is HashField => field.kind === 'hash')
  if (hashes.length > 1)
    throw new RegistrationError(
      `The model '${draft.name}' has ${hashes.length} hash fields; expected at most one.`,
    )
  draft.hashField = hashes[0]
  draft.indexes = describeIndexes(draft)
  draft.uniqueSets = uniqueSetsOf(draft, additions)
  draft.uniqueRanges = uniqueRangesOf(draft, additions)
  draft.indexes = withIndexesOfRanges(draft)
  draft.check = withRangeCheck(draft)
  draft.immutability = describeImmutability(draft)
  refuseSharedColumns(draft.name, draft.model.fields)
}

function isImmutable(field: FieldDescription): field is ValueField | ToOneField {
  return (field.kind === 'value' || field.kind === 'toOne') && field.isImmutable
}

function isCoded(field: ValueField): field is CodedField {
  return field.codec !== undefined
}

function isTimestamp(field: ValueField): field is TimestampField {
  return field.timestamp !== undefined
}

function isSetByService(field: FieldDescription): field is ValueField | ToOneField {
  return field.kind === 'toOne'
    ? field.isReadOnly || field.from !== undefined
    : field.kind === 'value' && field.from !== undefined
}

function indexByWireName(
  model: ModelDescription,
  fields: readonly FieldDescription[],
): ReadonlyMap<string, FieldDescription> {
  const byWireName = new Map<string, FieldDescription>()
  for (const field of fields) {
    const other = byWireName.get(field.wireName)
    if (other)
      throw new RegistrationError(
        `The fields '${other.name}' and '${field.name}' of the model '${model.name}' have the same wire name '${field.wireName}'.`,
      )
    byWireName.set(field.wireName, field)
  }
  return byWireName
}
