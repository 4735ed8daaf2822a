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
import type { IdempotencyKeyUse } from '../rule/rule.ts'

/** Undefined where requests are read-only, or the router ignores keys. */
export function idempotencyKeyUse(
  idempotency: Pick<Idempotency, 'required' | 'keepMs'> | undefined,
  operation: OperationName,
): IdempotencyKeyUse | undefined {
  const { changesItems, hooks } = operations[operation]
  if (!idempotency || !changesItems) return undefined
  const names: readonly string[] = operation === 'Batch' ? ['batch'] : ['write', ...hooks]
  const { required, keepMs } = idempotency
  const isRequired = names.some((name) => required.has(name as RepeatableOperation))
  return Object.freeze({ isRequired, keepMs })
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
    (code) => code !== 'idempotency-key-required' || use.isRequired,
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
