import { findNearestName } from '../../error/nearest-name.ts'
import { unknownName } from '../../error/unknown-name.ts'
import type {
  OnDelete,
  ToManyDefinition,
  ToManyOptions,
  ToOneDefinition,
} from '../declare/relation.ts'
import { checkExampleId } from '../id.ts'
import type {
  Draft,
  InboundRelation,
  InverseField,
  ModelDescription,
  OwnedRelation,
  ToManyField,
  ToOneField,
} from '../model-description.ts'
import { checkWireName } from '../naming.ts'
import { RegistrationError } from '../registration-error.ts'
import { describeColumn, describeJoinTable } from './describe-storage.ts'
import { checkFrom } from './describe-value.ts'

const onDeleteChoices: readonly OnDelete[] = ['restrict', 'cascade', 'set-null']

export function describeToOne(
  subject: string,
  name: string,
  { relatedModelName, options }: ToOneDefinition<unknown>,
  models: ReadonlyMap<string, ModelDescription>,
): ToOneField {
  const optional = options.optional ?? false
  const onDelete = options.onDelete ?? (optional ? 'set-null' : 'restrict')
  if (!onDeleteChoices.includes(onDelete))
    throw new RegistrationError(
      unknownName(`${subject} has the unknown onDelete '${onDelete}'`, onDelete, onDeleteChoices),
    )
  if (onDelete === 'set-null' && !optional) {
    throw new RegistrationError(
      `${subject} is required, so its onDelete cannot be 'set-null'. Make it optional, or use 'restrict' or 'cascade'.`,
    )
  }
  checkFrom(subject, options.from)
  if (options.immutable && onDelete === 'set-null')
    throw new RegistrationError(
      `${subject} is immutable, so its onDelete cannot be 'set-null'${options.onDelete ? '' : ', the default of an optional relation'}. Use 'restrict' or 'cascade'.`,
    )
  if (options.missing && optional)
    throw new RegistrationError(
      `${subject} has the option 'missing', but the relation is optional. Remove 'missing'.`,
    )
  if (options.example !== undefined) checkExampleId(`The example of ${subject}`, options.example)
  const wireName = checkWireName(subject, name, options.wire)
  return {
    kind: 'toOne',
    name,
    wireName,
    description: options.description,
    example: options.example,
    relatedModel: findRelatedModel(subject, relatedModelName, models),
    isOptional: optional,
    allowsMissing: options.missing !== undefined,
    isReadOnly: options.readOnly === true || options.from !== undefined,
    from: options.from,
    isImmutable: options.immutable ?? false,
    onDelete,
    storage: describeColumn(subject, wireName, options, '_id'),
  }
}

export function describeToMany(
  subject: string,
  model: ModelDescription,
  name: string,
  { relatedModelName, options }: ToManyDefinition<unknown>,
  models: ReadonlyMap<string, ModelDescription>,
): ToManyField | InverseField {
  checkExampleIds(subject, options.example)
  const common = {
    name,
    wireName: checkWireName(subject, name, options.wire),
    description: options.description,
    example: options.example,
    relatedModel: findRelatedModel(subject, relatedModelName, models),
    isReplaceable: options.replace ?? true,
  }
  // `linkInverses` sets `inverseOf`, once every model has its fields.
  if (options.inverse !== undefined) {
    refuseJoinTable(subject, options)
    return { kind: 'inverse', ...common, inverseOf: undefined as never }
  }
  const { wireName } = common
  const storage = describeJoinTable(subject, model, wireName, relatedModelName, options.through)
  return { kind: 'toMany', ...common, storage }
}

function refuseJoinTable(subject: string, { through, inverse }: ToManyOptions): void {
  if (through !== undefined)
    throw new RegistrationError(
      `${subject} is the inverse of '${inverse}' and stores nothing, so it has no join table. Set 'through' on the relation '${inverse}'.`,
    )
}

/** Sets the relations that inverse relations mirror, after every model has its fields. */
export function linkInverses(draft: ModelDescription): void {
  for (const field of draft.relations) {
    if (field.kind !== 'inverse') continue
    const { inverse } = (draft.model.fields[field.name] as ToManyDefinition).options
    const mirrored = field.relatedModel.ownedRelations.find(({ name }) => name === inverse)
    if (!mirrored || mirrored.relatedModel !== draft)
      throw inverseMismatch(draft, field, String(inverse))
    ;(field as Draft<InverseField>).inverseOf = mirrored
  }
}

function inverseMismatch(
  draft: ModelDescription,
  { name, relatedModel }: InverseField,
  inverse: string,
): RegistrationError {
  const subject = `The field '${name}' of the model '${draft.name}' is the inverse of '${inverse}', but`
  const mirrored = relatedModel.relations.find((relation) => relation.name === inverse)
  if (mirrored?.kind === 'inverse' && mirrored.relatedModel === draft)
    return new RegistrationError(
      `${subject} that is an inverse too. Remove { inverse: … } from the side that stores the ids.`,
    )
  const candidates = relatedModel.ownedRelations
    .filter((relation) => relation.relatedModel === draft)
    .map((relation) => relation.name)
  const statement = `${subject} '${relatedModel.name}' has no relation '${inverse}' to '${draft.name}'`
  return new RegistrationError(unknownName(statement, inverse, candidates))
}

export function inboundOf(
  model: ModelDescription,
  models: readonly ModelDescription[],
): InboundRelation[] {
  return models.flatMap((from) =>
    from.ownedRelations
      .filter((relation) => relation.relatedModel === model && appliesOnDelete(from, relation))
      .map((relation) => ({ owner: from, relation })),
  )
}

/**
 * The items of a view cannot be changed, and a view that shows each item would forbid to delete
 * any, so read-only models have to say it.
 */
function appliesOnDelete(
  { isReadOnly, model }: ModelDescription,
  { name }: OwnedRelation,
): boolean {
  if (!isReadOnly) return true
  const { options } = model.fields[name] as ToOneDefinition<unknown> | ToManyDefinition<unknown>
  return 'onDelete' in options && options.onDelete !== undefined
}

function checkExampleIds(subject: string, example: readonly string[] | undefined): void {
  if (example === undefined) return
  if (!Array.isArray(example))
    throw new RegistrationError(
      `The example of ${subject} must be an array of ids; got '${String(example)}'.`,
    )
  for (const id of example) checkExampleId(`The example of ${subject}`, id)
}

function findRelatedModel(
  subject: string,
  name: string,
  models: ReadonlyMap<string, ModelDescription>,
): ModelDescription {
  const model = models.get(name)
  if (model) return model
  if (typeof name !== 'string')
    throw new RegistrationError(
      `${subject} must have the name of the related model, as in toOne('author').`,
    )
  const names = [...models.keys()]
  const detail = unknownName(`${subject} refers to the unknown model '${name}'`, name, names)
  const isMisspelt = findNearestName(name, names) !== undefined
  throw new RegistrationError(
    isMisspelt
      ? detail
      : `${detail} Every related model has to be prepared, with router.prepare().`,
  )
}
