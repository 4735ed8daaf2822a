import type { AnyModel, ModelOptions } from '../declare/model.ts'
import { checkExampleId } from '../id.ts'
import type { Draft, ModelDescription } from '../model-description.ts'
import { isMemberName, memberNameRules, pluralOf } from '../naming.ts'
import { RegistrationError } from '../registration-error.ts'
import { describeChangeLogging } from './describe-change-logging.ts'
import { describeCheck } from './describe-check.ts'
import { describeRetention } from './describe-retention.ts'
import { describeModelStorage } from './describe-storage.ts'
import type { RegistrationFaults } from './registration-faults.ts'

/** The description of a model, without its fields. */
export function draftModel(model: AnyModel, faults: RegistrationFaults): Draft<ModelDescription> {
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
