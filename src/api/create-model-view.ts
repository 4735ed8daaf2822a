import type { MapperOptions } from '../mapper/mapper.ts'
import type { AnyActionOptions } from '../model/declare/action.ts'
import { describeAction } from '../model/describe/describe-action.ts'
import { isAsyncFunction } from '../model/describe/describe-actions.ts'
import { allowsUndefined } from '../model/describe/describe-value.ts'
import type { ModelDescription } from '../model/model-description.ts'
import type { AddedMember, ModelView } from '../model/model-view.ts'
import { isMemberName, toPascalCase } from '../model/naming.ts'
import { RegistrationError } from '../model/registration-error.ts'
import { extractLocalRefs } from '../schema/extract-local-refs.ts'
import { jsonSchemaOf, type Schema } from '../schema/standard-schema.ts'
import { resolveHiddenMembers } from './hidden-members.ts'

/** A callable, and what was said about it. */
export interface RegisteredOperation {
  readonly name: string
  readonly callable: (context: never) => unknown
  readonly options: AnyActionOptions
}

/**
 * How a router shows a model, by what its mappers declare and what is registered beside its
 * methods.
 * @throws RegistrationError when they declare what cannot be.
 */
export function createModelView(
  model: ModelDescription,
  declared: readonly MapperOptions[],
  operations: readonly RegisteredOperation[],
  guarding: Pick<ModelView, 'basePath' | 'isGuarded' | 'hasWriteGuards' | 'requiresIfMatch'>,
): ModelView {
  const adds = new Map<string, AddedMember>()
  for (const options of declared) {
    for (const [name, schema] of Object.entries(options.adds ?? {}))
      adds.set(validateAddedName(model, name), createAddedMember(model, name, schema))
  }
  const hidden = resolveHiddenMembers(model, declared)
  const registered = operations.map(({ name, callable, options }) => {
    if (typeof callable !== 'function')
      throw new RegistrationError(
        `The operation '${name}' of the model '${model.name}' is no function.`,
      )
    return describeAction(
      model,
      name,
      options,
      { kind: 'callable', callable },
      isAsyncFunction(callable),
    )
  })
  return Object.freeze({
    model,
    addedMembers: adds,
    ...hidden,
    actions: Object.freeze([...model.actions, ...registered]),
    ...guarding,
  })
}

function createAddedMember(model: ModelDescription, name: string, schema: Schema): AddedMember {
  const exported = extractLocalRefs(
    jsonSchemaOf(schema, 'output'),
    toPascalCase(model.name) + toPascalCase(name),
  )
  return { schema: exported, isRequired: !allowsUndefined(schema) }
}

function validateAddedName(model: ModelDescription, name: string): string {
  if (!isMemberName(name) || name === 'id')
    throw new RegistrationError(
      `A mapper of '${model.name}' adds '${name}', which cannot be the name of a member.`,
    )
  if (model.fieldsByWireName.has(name))
    throw new RegistrationError(
      `A mapper of '${model.name}' adds '${name}', which the model has already; a mapper may change it without adding it.`,
    )
  return name
}
