import type { OnDelete, ToManyDefinition, ToOneDefinition } from '../declare/field.ts'
import type {
  InboundRelation,
  InverseField,
  ModelDescription,
  ToManyField,
  ToOneField,
} from '../model-description.ts'
import { RegistrationError } from '../registration-error.ts'
import { checkExampleId } from './check-example-id.ts'
import { checkWireName } from './check-wire-name.ts'
import type { Draft } from './draft.ts'

const onDeleteChoices: readonly OnDelete[] = ['restrict', 'cascade', 'set-null']

export function describeToOne(
  place: string,
  name: string,
  { relatedModelName, options }: ToOneDefinition<unknown>,
  models: ReadonlyMap<string, ModelDescription>,
): ToOneField {
  const optional = options.optional ?? false
  const onDelete = options.onDelete ?? (optional ? 'set-null' : 'restrict')
  if (!onDeleteChoices.includes(onDelete))
    throw new RegistrationError(
      `${place} has '${onDelete}' for its onDelete; choose one of ${onDeleteChoices.join(', ')}.`,
    )
  if (onDelete === 'set-null' && !optional) {
    throw new RegistrationError(
      `${place} is required, so deleting what it refers to cannot set it to null; make it optional, or choose 'restrict' or 'cascade'.`,
    )
  }
  if (options.example !== undefined) checkExampleId(`The example of ${place}`, options.example)
  return {
    kind: 'toOne',
    name,
    wireName: checkWireName(place, name, options.wire),
    description: options.description,
    example: options.example,
    relatedModel: targetOf(place, relatedModelName, models),
    isOptional: optional,
    onDelete,
  }
}

export function describeToMany(
  place: string,
  name: string,
  { relatedModelName, options }: ToManyDefinition<unknown>,
  models: ReadonlyMap<string, ModelDescription>,
): ToManyField | InverseField {
  checkExampleIds(place, options.example)
  const common = {
    name,
    wireName: checkWireName(place, name, options.wire),
    description: options.description,
    example: options.example,
    relatedModel: targetOf(place, relatedModelName, models),
    isReplaceable: options.replace ?? true,
  }
  // The relation it mirrors is known only once every model has its fields.
  return options.inverse === undefined
    ? { kind: 'toMany', ...common }
    : { kind: 'inverse', ...common, inverseOf: undefined as never }
}

/** Tells inverse relations which ones they mirror: once every model has its fields. */
export function linkInverses(draft: ModelDescription): void {
  for (const field of draft.relations) {
    if (field.kind !== 'inverse') continue
    const { inverse } = (draft.model.fields[field.name] as ToManyDefinition).options
    const of = field.relatedModel.ownedRelations.find((relation) => relation.name === inverse)
    if (!of || of.relatedModel !== draft) throw inverseMismatch(draft, field, String(inverse))
    ;(field as Draft<InverseField>).inverseOf = of
  }
}

function inverseMismatch(
  draft: ModelDescription,
  { name, relatedModel }: InverseField,
  inverse: string,
): RegistrationError {
  const place = `The field '${name}' of the model '${draft.name}' is the inverse of '${inverse}', but`
  const own = relatedModel.relations.find((relation) => relation.name === inverse)
  if (own?.kind === 'inverse' && own.relatedModel === draft)
    return new RegistrationError(
      `${place} that is an inverse too; one of the two holds the relation: leave out its { inverse: … }.`,
    )
  const others = relatedModel.ownedRelations
    .filter((relation) => relation.relatedModel === draft)
    .map((relation) => relation.name)
  const has = others.length > 0 ? `; it has ${others.join(', ')}` : ''
  return new RegistrationError(
    `${place} '${relatedModel.name}' has no relation of that name to '${draft.name}'${has}.`,
  )
}

/** The relations of any models that lead to this one. */
export function inboundOf(
  model: ModelDescription,
  models: readonly ModelDescription[],
): InboundRelation[] {
  return models.flatMap((from) =>
    from.ownedRelations
      .filter((relation) => relation.relatedModel === model)
      .map((relation) => ({ owner: from, relation })),
  )
}

function checkExampleIds(place: string, example: readonly string[] | undefined): void {
  if (example === undefined) return
  if (!Array.isArray(example))
    throw new RegistrationError(
      `The example of ${place} is '${String(example)}'; expected a list of ids.`,
    )
  for (const id of example) checkExampleId(`The example of ${place}`, id)
}

function targetOf(
  place: string,
  target: string,
  models: ReadonlyMap<string, ModelDescription>,
): ModelDescription {
  const found = models.get(target)
  if (found) return found
  if (typeof target !== 'string')
    throw new RegistrationError(
      `${place} must name the model that it relates to, as in toOne('author').`,
    )
  throw new RegistrationError(
    `${place} refers to the model '${target}', which is not registered; registered are ${[...models.keys()].join(', ')}.`,
  )
}
