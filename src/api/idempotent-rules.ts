import type { Idempotency, RepeatableOperation } from '../context/idempotency.ts'
import type { RouterServices } from '../document/router-services.ts'
import type { ErrorCode } from '../error/catalog.ts'
import type { ModelDescription } from '../model/model-description.ts'
import {
  keyErrors,
  replayedCreationErrors,
  storedResultErrors,
  waitErrors,
} from '../pipeline/idempotency/repeatable-errors.ts'
import { type OperationName, operations } from '../rule/operations.ts'
import type { IdempotencyKeyUse, ModelRule } from '../rule/rule.ts'

/** Undefined where requests are read-only, or the router ignores keys. */
export function idempotencyKeyUse(
  idempotency: KeyRequirements | undefined,
  operation: OperationName,
  model: ModelDescription,
): IdempotencyKeyUse | undefined {
  const { changesItems, hooks } = operations[operation]
  if (!idempotency || !changesItems) return undefined
  const names = ['write', ...hooks] as readonly RepeatableOperation[]
  const { required, requiredByModel, keepMs } = idempotency
  const isRequired = names.some(
    (name) => required.has(name) || requiredByModel.get(model.name)?.has(name),
  )
  return Object.freeze({ required: isRequired ? 'always' : 'never', keepMs })
}

type KeyRequirements = Pick<Idempotency, 'required' | 'requiredByModel' | 'keepMs'>

/** A batch needs a key where one of its operations does. */
export function batchKeyUse(
  idempotency: KeyRequirements | undefined,
  rules: readonly Pick<ModelRule, 'idempotencyKey'>[],
): IdempotencyKeyUse | undefined {
  if (!idempotency) return undefined
  const { required, keepMs } = idempotency
  const isSometimes = rules.some(({ idempotencyKey }) => idempotencyKey?.required === 'always')
  return Object.freeze({
    required: required.has('batch') ? 'always' : isSometimes ? 'sometimes' : 'never',
    keepMs,
  })
}

/**
 * What requests with a key can be refused with, in addition to the errors of their operation.
 * @param hidesCreated may a caller repeat the creation of an item that it does not see?
 */
export function idempotencyErrors(
  use: IdempotencyKeyUse | undefined,
  hidesCreated: boolean,
): readonly ErrorCode[] {
  if (!use) return []
  const creationErrors = hidesCreated ? replayedCreationErrors : []
  return [...keyErrors, ...waitErrors, ...storedResultErrors, ...creationErrors].filter(
    (code) => code !== 'idempotency-key-required' || use.required !== 'never',
  )
}

/** @param model of the rule; undefined for a batch of any models */
export function mayHideCreated(
  { idempotency, guards, views }: Pick<RouterServices, 'idempotency' | 'guards' | 'views'>,
  operation: OperationName,
  model?: ModelDescription,
): boolean {
  if (model && operations[operation].creates !== 'always') return false
  const models = model ? [model] : views.all.map((view) => view.model)
  return idempotency?.isScopeShared === true || models.some((each) => guards.isRestricted(each))
}
