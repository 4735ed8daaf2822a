import type { Idempotency, RepeatableOperation } from '../context/idempotency.ts'
import type { ErrorCode } from '../error/catalog.ts'
import {
  keyErrors,
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

/** What requests with a key can be refused with, in addition to the errors of their operation. */
export function idempotencyErrors(use: IdempotencyKeyUse | undefined): readonly ErrorCode[] {
  if (!use) return []
  return [...keyErrors, ...waitErrors, ...storedResultErrors].filter(
    (code) => code !== 'idempotency-key-required' || use.isRequired,
  )
}
