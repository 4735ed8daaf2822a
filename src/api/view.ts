import type { MapperOptions } from '../mapper/mapper.ts'
import type { AnyActionOptions } from '../model/action.ts'
import { describeAction } from '../model/describe-action.ts'
import { isAsync } from '../model/describe-actions.ts'
import { mayStayAbsent } from '../model/describe-value.ts'
import type { ModelDescription } from '../model/description.ts'
import type { AddedMember, ModelView } from '../model/model-view.ts'
import { isMemberName, pascalOf } from '../model/naming.ts'
import { RegistrationError } from '../model/registration-error.ts'
import { withoutLocalRefs } from '../schema/local-refs.ts'
import { jsonSchemaOf, type Schema } from '../schema/standard-schema.ts'
import { hiddenMembers } from './hidden-members.ts'

/** A callable, and what was said about it. */
export interface RegisteredOperation {
  readonly name: string
  readonly callable: (context: never) => unknown
  readonly options: AnyActionOptions
}

/**
 * How a router shows a model, by what its mappers declare and what is registered beside its methods.
 * @throws RegistrationError when they declare what cannot be.
 */
export function viewOf(
  model: ModelDescription,
  declared: readonly MapperOptions[],
  operations: readonly RegisteredOperation[],
  guarding: Pick<ModelView, 'basePath' | 'isGuarded' | 'guardsWrites' | 'requireMatch'>,
): ModelView {
  const adds = new Map<string, AddedMember>()
  for (const options of declared) {
    for (const [name, schema] of Object.entries(options.adds ?? {}))
      adds.set(checkedAddition(model, name), addedMember(model, name, schema))
  }
  const hidden = hiddenMembers(model, declared)
  const registered = operations.map(({ name, callable, options }) => {
    if (typeof callable !== 'function')
      throw new RegistrationError(`The operation '${name}' of the model '${model.name}' is no function.`)
    return describeAction(model, name, options, { kind: 'callable', callable }, isAsync(callable))
  })
  return Object.freeze({
    model,
    adds,
    ...hidden,
    actions: Object.freeze([...model.actions, ...registered]),
    ...guarding,
  })
}

function addedMember(model: ModelDescription, name: string, schema: Schema): AddedMember {
  const exported = withoutLocalRefs(jsonSchemaOf(schema, 'output'), pascalOf(model.name) + pascalOf(name))
  return { schema: exported, required: !mayStayAbsent(schema) }
}

function checkedAddition(model: ModelDescription, name: string): string {
  if (!isMemberName(name) || name === 'id')
    throw new RegistrationError(`A mapper of '${model.name}' adds '${name}', which cannot be the name of a member.`)
  if (model.byWire.has(name))
    throw new RegistrationError(
      `A mapper of '${model.name}' adds '${name}', which the model has already; a mapper may change it without adding it.`,
    )
  return name
}
