import { originOf } from '../added-models.ts'
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
import { describeAggregated } from './describe-aggregated.ts'
import { describeChangeLogging } from './describe-change-logging.ts'
import { describeCheck } from './describe-check.ts'
import { describeDerived } from './describe-derived.ts'
import { describeField } from './describe-field.ts'
import { describeImmutability } from './describe-immutability.ts'
import { describeIndexes } from './describe-indexes.ts'
import { inboundOf, linkInverses } from './describe-relations.ts'
import { resourcePathsOf } from './describe-resource.ts'
import { describeRetention } from './describe-retention.ts'
import { isRollup, linkRollups } from './describe-rollup.ts'
import { describeSearched } from './describe-searched.ts'
import { describeSearchedTexts } from './describe-searched-texts.ts'
import { describeModelStorage, refuseSharedColumns } from './describe-storage.ts'
import { RegistrationFaults } from './registration-faults.ts'
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
 * @throws RegistrationError if declarations are invalid, or models contradict each other: all of
 * these faults, a line for each
 */
export function describeRouterModels(
  models: readonly AnyModel[],
  additions: ReadonlyMap<AnyModel, RouterAdditions>,
): readonly ModelDescription[] {
  const faults = new RegistrationFaults()
  const drafts = new Map<string, Draft<ModelDescription>>()
  for (const model of models) {
    const draft = draftModel(model, faults)
    faults.attempt(() => refuseNameClash(draft, [...drafts.values()]))
    drafts.set(draft.name, draft)
  }
  for (const draft of drafts.values())
    addFields(draft, drafts, additions.get(draft.model) ?? noAdditions, faults)
  // What follows would not find the fields that are wrong.
  faults.throwAll()
  for (const draft of drafts.values()) {
    faults.attempt(() => linkInverses(draft))
    faults.attempt(() => linkRollups(draft))
    faults.attempt(() => {
      draft.aggregated = describeAggregated(draft)
    })
    faults.attempt(() => {
      draft.searched = describeSearched(draft)
    })
    faults.attempt(() => {
      draft.actions = Object.freeze(describeActions(draft))
    })
  }
  faults.throwAll()
  const searchedTexts = describeSearchedTexts([...drafts.values()])
  for (const draft of drafts.values()) {
    draft.inboundRelations = Object.freeze(inboundOf(draft, [...drafts.values()]))
    draft.searchedTexts = searchedTexts.get(draft) ?? []
  }
  return [...drafts.values()].map((draft) => Object.freeze(draft))
}

function draftModel(model: AnyModel, faults: RegistrationFaults): Draft<ModelDescription> {
  const { modelName: name, options } = model
  const plural = options.plural ?? pluralOf(name)
  faults.attempt(() => checkNames(name, plural))
  faults.attempt(() => refuseWriteOptions(name, options))
  faults.attempt(() => {
    if (options.exampleId !== undefined)
      checkExampleId(`The exampleId of the model '${name}'`, options.exampleId)
  })
  return {
    name,
    plural,
    model,
    hasOwnClass: Object.getPrototypeOf(model) !== Function.prototype,
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
    storage:
      faults.attempt(() => describeModelStorage(name, plural, options)) ??
      describeModelStorage(name, plural, {}),
    ...(faults.attempt(() => describeCheck(name, options.validate)) ??
      describeCheck(name, undefined)),
    immutability: undefined,
    changeLogging:
      faults.attempt(() => describeChangeLogging(name, options.changes)) ??
      describeChangeLogging(name, undefined),
    immutableFields: [],
    codedFields: [],
    timestampFields: [],
    derivedFields: [],
    rollupFields: [],
    serviceFields: [],
    actions: [],
    history: faults.attempt(() => describeRetention(name, options, 'history', undefined)),
    trash: faults.attempt(() => describeRetention(name, options, 'trash', trashDays)),
    aggregated: new Set(),
    searched: [],
    searchedTexts: [],
  }
}

/** How long deleted items stay in the trash, in days. */
const trashDays = 30

/** @throws RegistrationError */
function checkNames(name: string, plural: string): void {
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
}

/** @throws RegistrationError for an option of a read-only model that only matters to clients */
function refuseWriteOptions(name: string, options: ModelOptions): void {
  if (!options.readOnly) return
  const refused = (['upsert', 'requireMatch'] as const).filter((key) => options[key])
  if (refused.length > 0)
    throw new RegistrationError(
      `Clients only read the model '${name}' (readOnly), so ${refused.map((option) => `'${option}'`).join(' and ')}, about what they write, ${refused.length === 1 ? 'has' : 'have'} no use. Remove ${refused.length === 1 ? 'it' : 'them'}, or the option 'readOnly'.`,
    )
}

function refuseNameClash(draft: ModelDescription, others: readonly ModelDescription[]): void {
  for (const other of others) {
    const origin = originOf(draft.model) ?? originOf(other.model)
    if (other.name === draft.name && origin !== undefined)
      throw new RegistrationError(
        `Two models have the name '${draft.name}', and ${origin} adds one of them. Give the other one another name.`,
      )
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
  faults: RegistrationFaults,
): void {
  const faultsBefore = faults.count
  const fields = Object.entries(draft.model.fields).flatMap(
    ([name, definition]) =>
      faults.attempt(() =>
        withAdditions(describeField(draft, name, definition, models), additions),
      ) ?? [],
  )
  draft.fields = Object.freeze(fields)
  draft.fieldsByName = new Map(fields.map((field) => [field.name, field]))
  draft.fieldsByWireName =
    faults.attempt(() => indexByWireName(draft, fields)) ?? draft.fieldsByWireName
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
  draft.rollupFields = Object.freeze(draft.valueFields.filter(isRollup))
  draft.serviceFields = Object.freeze(fields.filter(isSetByService))
  const hashes = fields.filter((field): field is HashField => field.kind === 'hash')
  draft.hashField = hashes[0]
  faults.attempt(() => {
    if (hashes.length > 1)
      throw new RegistrationError(
        `The model '${draft.name}' has ${hashes.length} hash fields; expected at most one.`,
      )
  })
  // Options name fields, of which some are missing now.
  if (fields.length < Object.keys(draft.model.fields).length) return
  faults.attempt(() => refuseSharedColumns(draft.name, draft.model.fields))
  faults.attempt(() => {
    draft.indexes = describeIndexes(draft)
  })
  faults.attempt(() => {
    draft.uniqueSets = uniqueSetsOf(draft, additions)
  })
  faults.attempt(() => {
    draft.uniqueRanges = uniqueRangesOf(draft, additions)
  })
  faults.attempt(() => {
    draft.derivedFields = describeDerived(draft)
  })
  draft.immutability = faults.attempt(() => describeImmutability(draft))
  if (faults.count > faultsBefore) return
  faults.attempt(() => {
    draft.indexes = withIndexesOfRanges(draft)
    draft.check = withRangeCheck(draft)
  })
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
