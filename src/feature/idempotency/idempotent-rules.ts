import { issuedKey } from '../../authentication/issue-api-key.ts'
import type { ErrorCode } from '../../error/catalog.ts'
import type { ModelDescription } from '../../model/model-description.ts'
import type { RouterServices } from '../../pipeline/router-services.ts'
import { type OperationName, operations } from '../../rule/operations.ts'
import { refusesRelationChange } from '../../rule/refused-relation-change.ts'
import {
  type IdempotencyKeyUse,
  type ModelRule,
  type PolicyBatchRule,
  type PolicyRouterRule,
  type PolicyRule,
  pathView,
} from '../../rule/rule.ts'
import type { RulePart } from '../feature.ts'
import type { Idempotency, RepeatableOperation } from './idempotency-settings.ts'
import { keyHeader, replayedHeader } from './key-headers.ts'
import {
  keyErrors,
  replayedCreationErrors,
  storedResultErrors,
  waitErrors,
} from './repeatable-errors.ts'

/** Undefined where requests have no key. */
export function idempotentRulePart(
  idempotency: RuleSettings,
  rule: PolicyRule | PolicyRouterRule,
  services: Pick<RouterServices, 'guards' | 'views'>,
): RulePart | undefined {
  if (rule.operation === 'GetFeed') return undefined
  const use = keyUse(idempotency, rule)
  return (
    use && {
      members: { idempotencyKey: use },
      declaration: Object.freeze({
        requestHeaders: [keyHeader(use, rule.request.kind)],
        successHeaders: replayedHeader,
        errors: errorsOf(use, mayHideCreated(idempotency, services, rule)),
      }),
    }
  )
}

type RuleSettings = KeyRequirements & Pick<Idempotency, 'isScopeShared'>

type KeyRequirements = Pick<Idempotency, 'required' | 'requiredByModel' | 'keepMs'>

function keyUse(
  idempotency: KeyRequirements,
  rule: PolicyRule | PolicyBatchRule,
): IdempotencyKeyUse | undefined {
  if (rule.operation === 'Batch') return batchKeyUse(idempotency, rule.request.rules)
  return refusesRelationChange(rule) || issuesApiKey(rule)
    ? undefined
    : operationKeyUse(idempotency, rule.operation, pathView(rule).model)
}

/** Its response is the whole key, which must not be kept for repetitions. */
function issuesApiKey({ target }: PolicyRule): boolean {
  return target.kind === 'action' && target.action.output?.schema === issuedKey
}

/** Undefined where requests are read-only. */
function operationKeyUse(
  { required, requiredByModel, keepMs }: KeyRequirements,
  operation: OperationName,
  model: ModelDescription,
): IdempotencyKeyUse | undefined {
  const { changesItems, hooks } = operations[operation]
  if (!changesItems) return undefined
  const names = ['write', ...hooks] as readonly RepeatableOperation[]
  const isRequired = names.some(
    (name) => required.has(name) || requiredByModel.get(model.name)?.has(name),
  )
  return Object.freeze({ required: isRequired ? 'always' : 'never', keepMs })
}

/** A batch needs a key where one of its operations does. */
function batchKeyUse(
  { required, keepMs }: KeyRequirements,
  rules: readonly Pick<ModelRule, 'idempotencyKey'>[],
): IdempotencyKeyUse {
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
function errorsOf(
  { required }: Pick<IdempotencyKeyUse, 'required'>,
  hidesCreated: boolean,
): readonly ErrorCode[] {
  const creationErrors = hidesCreated ? replayedCreationErrors : []
  return [...keyErrors, ...waitErrors, ...storedResultErrors, ...creationErrors].filter(
    (code) => code !== 'idempotency-key-required' || required !== 'never',
  )
}

function mayHideCreated(
  { isScopeShared }: Pick<Idempotency, 'isScopeShared'>,
  { guards, views }: Pick<RouterServices, 'guards' | 'views'>,
  rule: PolicyRule | PolicyBatchRule,
): boolean {
  if (rule.operation !== 'Batch' && operations[rule.operation].creates !== 'always') return false
  const models =
    rule.operation === 'Batch' ? views.all.map(({ model }) => model) : [pathView(rule).model]
  return isScopeShared || models.some((model) => guards.isRestricted(model))
}
