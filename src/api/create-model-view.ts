import type { HiddenMembers } from '../access/field-variants.ts'
import type { MapperOptions } from '../mapper/mapper.ts'
import type { AnyActionOptions } from '../model/declare/action-options.ts'
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

/** A callable that `itemOperation` registers, with its options. */
export interface RegisteredOperation {
  readonly name: string
  readonly callable: (context: never) => unknown
  readonly options: AnyActionOptions
}

/**
 * The view of a model in a router, from the declarations of its mappers and its registered
 * operations.
 * @throws RegistrationError
 */
export function createModelView(
  model: ModelDescription,
  mapperOptions: readonly MapperOptions[],
  operations: readonly RegisteredOperation[],
  settings: Pick<
    ModelView,
    | 'basePath'
    | 'isGuarded'
    | 'hasWriteGuards'
    | 'guardedChanges'
    | 'hasOutcomeGuards'
    | 'requiresIfMatch'
    | 'capabilities'
    | 'hasChangeFeed'
    | 'maskedNames'
    | 'absentNames'
    | 'isForService'
  >,
  hidden: HiddenMembers | undefined,
): ModelView {
  const addedMembers = new Map<string, AddedMember>()
  for (const options of mapperOptions) {
    for (const [name, schema] of Object.entries(options.adds ?? {}))
      addedMembers.set(validateAddedName(model, name), createAddedMember(model, name, schema))
  }
  const actions = operations.map(({ name, callable, options }) => {
    if (typeof callable !== 'function')
      throw new RegistrationError(
        `The operation '${name}' of the model '${model.name}' must be a function.`,
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
    addedMembers,
    ...withHidden(resolveHiddenMembers(model, mapperOptions), hidden),
    unsettableNames: hidden?.unsettable ?? new Set(),
    actions: Object.freeze([...model.actions, ...actions]),
    reservedIds: reservedIdsOf(model, settings),
    ...settings,
  })
}

function reservedIdsOf(
  { trash, aggregated }: ModelDescription,
  { capabilities, hasChangeFeed }: Pick<ModelView, 'capabilities' | 'hasChangeFeed'>,
): ReadonlySet<string> {
  return new Set([
    ...(capabilities === 'none' ? [] : ['capabilities']),
    ...(hasChangeFeed ? ['changes'] : []),
    ...(aggregated.size > 0 ? ['groups'] : []),
    ...(trash ? ['trash'] : []),
  ])
}

/** A member is hidden, or writable, if both allow it. */
function withHidden(
  byMappers: Pick<ModelView, 'hiddenNames' | 'writableHiddenNames' | 'filterableHiddenNames'>,
  byRules: HiddenMembers | undefined,
): typeof byMappers {
  if (!byRules) return byMappers
  const isOpen = (name: string, names: ReadonlySet<string>) =>
    !byMappers.hiddenNames.has(name) || names.has(name)
  const { writableHiddenNames, filterableHiddenNames } = byMappers
  return {
    hiddenNames: new Set([...byMappers.hiddenNames, ...byRules.hidden]),
    writableHiddenNames: new Set([
      ...[...writableHiddenNames].filter(
        (name) => !byRules.hidden.has(name) || byRules.writable.has(name),
      ),
      ...[...byRules.writable].filter((name) => isOpen(name, writableHiddenNames)),
    ]),
    filterableHiddenNames: new Set(
      [...filterableHiddenNames].filter((name) => !byRules.hidden.has(name)),
    ),
  }
}

function createAddedMember(model: ModelDescription, name: string, schema: Schema): AddedMember {
  const jsonSchema = extractLocalRefs(
    jsonSchemaOf(schema, 'output'),
    toPascalCase(model.name) + toPascalCase(name),
  )
  return { schema: jsonSchema, isRequired: !allowsUndefined(schema) }
}

function validateAddedName(model: ModelDescription, name: string): string {
  if (!isMemberName(name) || name === 'id')
    throw new RegistrationError(
      `A mapper of '${model.name}' adds '${name}', which is not a valid member name.`,
    )
  if (model.fieldsByWireName.has(name))
    throw new RegistrationError(
      `A mapper of '${model.name}' adds '${name}', which the model already has. Remove it from 'adds'. A mapper can change members of the model without 'adds'.`,
    )
  return name
}
