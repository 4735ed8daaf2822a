import { checkExampleId } from './check-example-id.ts'
import type { InboundRelation, InverseField, ModelDescription, ToManyField, ToOneField } from './description.ts'
import type { Draft } from './draft.ts'
import type { OnDelete, ToManyDefinition, ToOneDefinition } from './field.ts'
import { RegistrationError } from './registration-error.ts'
import { wireOf } from './wire.ts'

const choices: readonly OnDelete[] = ['restrict', 'cascade', 'set-null']

export function describeToOne(
  place: string,
  name: string,
  { target, options }: ToOneDefinition<unknown>,
  models: ReadonlyMap<string, ModelDescription>,
): ToOneField {
  const optional = options.optional ?? false
  const onDelete = options.onDelete ?? (optional ? 'set-null' : 'restrict')
  if (!choices.includes(onDelete))
    throw new RegistrationError(`${place} has '${onDelete}' for its onDelete; choose one of ${choices.join(', ')}.`)
  if (onDelete === 'set-null' && !optional) {
    throw new RegistrationError(
      `${place} is required, so deleting what it refers to cannot set it to null; make it optional, or choose 'restrict' or 'cascade'.`,
    )
  }
  if (options.example !== undefined) checkExampleId(`The example of ${place}`, options.example)
  return {
    kind: 'toOne',
    name,
    wire: wireOf(place, name, options.wire),
    description: options.description,
    example: options.example,
    target: targetOf(place, target, models),
    optional,
    onDelete,
  }
}

export function describeToMany(
  place: string,
  name: string,
  { target, options }: ToManyDefinition<unknown>,
  models: ReadonlyMap<string, ModelDescription>,
): ToManyField | InverseField {
  checkExampleIds(place, options.example)
  const common = {
    name,
    wire: wireOf(place, name, options.wire),
    description: options.description,
    example: options.example,
    target: targetOf(place, target, models),
    replaceable: options.replace ?? true,
  }
  // The relation it mirrors is known only once every model has its fields.
  return options.inverse === undefined
    ? { kind: 'toMany', ...common }
    : { kind: 'inverse', ...common, of: undefined as never }
}

/** Tells inverse relations which ones they mirror: once every model has its fields. */
export function linkInverses(draft: ModelDescription): void {
  for (const field of draft.relations) {
    if (field.kind !== 'inverse') continue
    const { inverse } = (draft.model.fields[field.name] as ToManyDefinition).options
    const of = field.target.owned.find((relation) => relation.name === inverse)
    if (!of || of.target !== draft) throw noInverse(draft, field, String(inverse))
    ;(field as Draft<InverseField>).of = of
  }
}

function noInverse(draft: ModelDescription, { name, target }: InverseField, inverse: string): RegistrationError {
  const place = `The field '${name}' of the model '${draft.name}' is the inverse of '${inverse}', but`
  const own = target.relations.find((relation) => relation.name === inverse)
  if (own?.kind === 'inverse' && own.target === draft)
    return new RegistrationError(
      `${place} that is an inverse too; one of the two holds the relation: leave out its { inverse: … }.`,
    )
  const others = target.owned.filter((relation) => relation.target === draft).map((relation) => relation.name)
  const has = others.length > 0 ? `; it has ${others.join(', ')}` : ''
  return new RegistrationError(`${place} '${target.name}' has no relation of that name to '${draft.name}'${has}.`)
}

/** The relations of any models that lead to this one. */
export function inboundOf(model: ModelDescription, models: readonly ModelDescription[]): InboundRelation[] {
  return models.flatMap((from) =>
    from.owned.filter((relation) => relation.target === model).map((relation) => ({ from, relation })),
  )
}

function checkExampleIds(place: string, example: readonly string[] | undefined): void {
  if (example === undefined) return
  if (!Array.isArray(example))
    throw new RegistrationError(`The example of ${place} is '${String(example)}'; expected a list of ids.`)
  for (const id of example) checkExampleId(`The example of ${place}`, id)
}

function targetOf(place: string, target: string, models: ReadonlyMap<string, ModelDescription>): ModelDescription {
  const found = models.get(target)
  if (found) return found
  if (typeof target !== 'string')
    throw new RegistrationError(`${place} must name the model that it relates to, as in toOne('author').`)
  throw new RegistrationError(
    `${place} refers to the model '${target}', which is not registered; registered are ${[...models.keys()].join(', ')}.`,
  )
}
