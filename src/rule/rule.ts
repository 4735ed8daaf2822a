import type { ModelView } from '../model/model-view.ts'
import type { BatchSerializer } from '../serializer/serializer.ts'
import type { BatchPayload } from './batch-payload.ts'
import type { RuleDeclaration } from './declaration.ts'
import type { ModelOperation } from './operations.ts'
import type { QueryParameter } from './query-parameter.ts'
import type { BodyShape, NoRequest, RequestByOperation } from './request-shape.ts'
import type { BaseResponseShape, ErrorResponse, ResponseShape } from './response-shape.ts'
import type { BatchTarget, FeedTarget, RelationTarget, TargetByOperation } from './target.ts'

export type Method = 'GET' | 'QUERY' | 'POST' | 'PATCH' | 'PUT' | 'DELETE'

export interface BaseRule {
  readonly method: Method
  /** The path below the mount path: `/books/:id`; `:index` is an index of a list in the item. */
  readonly path: string
  readonly parameters: readonly QueryParameter[]
  readonly description?: string
  /** Undefined to make it of the method and the path. */
  readonly operationId?: string
}

/** How the requests of a rule use `Idempotency-Key`. */
export interface IdempotencyKeyUse {
  /** `sometimes` for a batch: where one of its operations requires a key. */
  readonly required: 'always' | 'sometimes' | 'never'
  /** How long the result of a request is kept, in milliseconds. */
  readonly keepMs: number
}

/** What registration adds to a rule of a policy. */
export interface RegisteredRuleParts {
  readonly errorResponses: readonly ErrorResponse[]
  /** The declarations of the hooks of the operation. */
  readonly declarations: readonly RuleDeclaration[]
  /**
   * Whether its responses may differ from caller to caller, because hooks run for it. Shared caches
   * must not store them.
   */
  readonly isPersonal: boolean
  /**
   * Is every request refused, whoever sends it and whatever it has? The OpenAPI document leaves
   * such a rule out.
   */
  readonly isAlwaysRefused: boolean
  /** Do access rules refuse every request of an anonymous caller, whatever it has? */
  readonly refusesAnonymous: boolean
  /** For whom it is, by access rules, as sentences; undefined where no rule says. */
  readonly accessWords: string | undefined
  /** The request headers that its responses depend on, for `Vary`. */
  readonly vary: string
  /** Does the store read from replicas? Then requests may say what their clients have written. */
  readonly readsReplicas?: boolean
  /** Set if requests may have an `Idempotency-Key`. */
  readonly idempotencyKey?: IdempotencyKeyUse
  /** Can requests be carried out after their responses? */
  readonly isDeferrable?: boolean
}

/** A rule for one operation on the items of one model, as a policy makes it. */
export interface PolicyOperationRule<Name extends ModelOperation> extends BaseRule {
  readonly operation: Name
  /** The model whose items are in the response, and to which the parameters apply. */
  readonly view: ModelView
  readonly target: TargetByOperation[Name]
  readonly request: RequestByOperation[Name]
  readonly response: ResponseShape
  /** Other successes, such as a replaced item that had to be created. */
  readonly otherResponses: readonly ResponseShape[]
}

/** A rule of a policy, for any operation on the items of one model. */
export type PolicyRule = { [Name in ModelOperation]: PolicyOperationRule<Name> }[ModelOperation]

/** A rule for one operation on the items of one model. */
export interface OperationRule<Name extends ModelOperation>
  extends PolicyOperationRule<Name>,
    RegisteredRuleParts {}

/** An operation on the items of one model; `operation` says which target and which body it has. */
export type ModelRule = RuleOf<ModelOperation>

/** The rules of these operations, as a union. */
export type RuleOf<Names extends ModelOperation> = {
  [Name in Names]: OperationRule<Name>
}[Names]

/** Several operations in one body. */
export interface BatchRequest extends BodyShape {
  readonly kind: 'batch'
  /** The rules of its operations. */
  readonly rules: readonly ModelRule[]
  /** Reads the operations of a document, and finds the problems of its form. */
  read(document: unknown): BatchPayload<ModelRule>
}

/** The results of the operations of a batch, in their order. */
export interface BatchResponse extends BaseResponseShape {
  readonly serializer: BatchSerializer
  readonly content: 'results'
  /** The status if no operation has a result. The response is then empty. */
  readonly emptyStatus: 204
}

/** Several operations in one request, which are all done or none, as a policy makes the rule. */
export interface PolicyBatchRule extends BaseRule {
  readonly operation: 'Batch'
  readonly target: BatchTarget
  readonly request: BatchRequest
  readonly response: BatchResponse
}

/** Several operations in one request, which are all done or none. */
export interface BatchRule extends PolicyBatchRule, RegisteredRuleParts {}

/** What changed in the lists of several models, as a policy makes the rule. */
export interface PolicyFeedRule extends BaseRule {
  readonly operation: 'GetFeed'
  readonly target: FeedTarget
  readonly request: NoRequest
  /** The rules of the lists that it can follow. */
  readonly rules: readonly RuleOf<'GetChanges'>[]
  readonly response: ResponseShape
}

/** What changed in the lists of several models. */
export interface FeedRule extends PolicyFeedRule, RegisteredRuleParts {}

/** A rule of a policy that belongs to no single model. */
export type PolicyRouterRule = PolicyBatchRule | PolicyFeedRule

/**
 * One operation at one address. A policy creates it at registration; the router, the pipeline and
 * the OpenAPI document read it. It is frozen. `rule.operation` tells the kinds apart.
 */
export type Rule = ModelRule | BatchRule | FeedRule

/**
 * Is the rule about the items of one model?
 *
 * ```ts
 * const plurals = router.rules.filter(isModelRule).map((rule) => pathView(rule).model.plural)
 * ```
 */
export function isModelRule(rule: Rule): rule is ModelRule {
  return rule.operation !== 'Batch' && rule.operation !== 'GetFeed'
}

/** The relation that a rule goes through; undefined for all other targets. */
export function relationTargetOf({
  target,
}: Pick<ModelRule, 'target'>): RelationTarget | undefined {
  return target.kind === 'related' || target.kind === 'linkage' ? target : undefined
}

/**
 * The view of the model whose item, or whose collection, the path names.
 *
 * ```ts
 * for (const rule of router.rules.filter(isModelRule))
 *   console.log(rule.path, pathView(rule).model.plural)
 * ```
 */
export function pathView(rule: Pick<ModelRule, 'view' | 'target'>): ModelView {
  return relationTargetOf(rule)?.owner ?? rule.view
}

/**
 * The routing table, with one rule per line.
 *
 * ```ts
 * console.log(printRules(router.rules)) // GET    /books                           GetList …
 * ```
 */
export function printRules(rules: readonly Rule[]): string {
  return rules
    .map((rule) => `${rule.method.padEnd(6)} ${rule.path.padEnd(32)} ${rule.operation}`)
    .join('\n')
}
