// The public names of the package that services use. Types that occur only in signatures are in
// `resourcery/types`; stores, policies, hosts and the OpenAPI document have entry points too.

// When TypeScript writes the declarations of a service, it has to name inferred types, and it finds
// a name only in modules that the program imports. So this module imports the entries with types.
export type {} from './openapi/public.ts'
export type {} from './policy/public.ts'
export type {} from './store/public.ts'
export type {} from './types.ts'

// A comment keeps the names apart from the lines above, when the formatter sorts them.

export type { AccessCondition } from './access/access-condition.ts'
export type { AccessRules } from './access/access-rules.ts'
export type { AccessCallback, AccessSymbols } from './access/declare-access.ts'
export { createRouter } from './api/create-router.ts'
export type { LoadedItem } from './api/load-items.ts'
export type { ResourceContent } from './api/load-resource.ts'
export type { RouteHandler, RouteRequest } from './api/own-service.ts'
export { planRouters } from './api/plan-routers.ts'
export type { PreparedRouter } from './api/prepared-router.ts'
export { pruneRouters } from './api/prune-routers.ts'
export type { Router } from './api/router.ts'
export { contentOf } from './api/router-content.ts'
export type { RouterOptions } from './api/router-options.ts'
export type { SecurityOptions } from './api/security-options.ts'
export type { Authenticator } from './authentication/authenticator.ts'
export type { Context } from './context/context.ts'
export type {
  AfterWrite,
  BeforeWrite,
  DraftOf,
  ValuesOf,
  WriteHooks,
} from './context/write-hooks.ts'
export { ApiError, refuse } from './error/api-error.ts'
export { AuthenticationUnavailable } from './error/authentication-unavailable.ts'
export { type ErrorCode, errorCatalog } from './error/catalog.ts'
export { type Problem, problem } from './error/problem.ts'
export type { Change } from './feature/consumers/change.ts'
export type { ConsumeChanges, ConsumerOptions } from './feature/consumers/consumer-options.ts'
export type { CorsOptions } from './feature/cors/cors-options.ts'
export type {
  RunScheduledJob,
  ScheduledJobOptions,
} from './feature/scheduled-jobs/scheduled-job-options.ts'
export type { ApiRequest } from './http/api-request.ts'
export { type ApiResponse, respond } from './http/api-response.ts'
export type { Mapper } from './mapper/mapper.ts'
export type {
  AroundHook,
  Hook,
  Middleware,
  QueryHook,
  RequestHook,
} from './middleware/middleware.ts'
export { action } from './model/declare/action.ts'
export { Action } from './model/declare/action-decorator.ts'
export type { ActionOptions } from './model/declare/action-options.ts'
export type { ActionMiddleware } from './model/declare/action-use.ts'
export type { OldItem } from './model/declare/backfill.ts'
export { date, dateTime } from './model/declare/date-time.ts'
export { decimal } from './model/declare/decimal.ts'
export { derived } from './model/declare/derived.ts'
export { type FieldOptions, field, hash } from './model/declare/field.ts'
export {
  type AnyModel,
  type ItemOf,
  type ModelClass,
  type ModelOptions,
  model,
} from './model/declare/model.ts'
export { type OnDelete, type RelatedItem, toMany, toOne } from './model/declare/relation.ts'
export { audio, file, image } from './model/declare/resource.ts'
export { rollup } from './model/declare/rollup.ts'
export { list, struct } from './model/declare/struct.ts'
export { timestamps } from './model/declare/timestamps.ts'
export type { AggregateOf, CodeGroup, GroupKeyOf } from './model/items/group-types.ts'
export type { CodeItem, ItemChanges, NewItem } from './model/items/item-types.ts'
export type { GroupOptions, ItemQuery, Items, ItemsOf } from './model/items/items.ts'
export { RegistrationError } from './model/registration-error.ts'
export type { BinaryResource } from './model/stored-resource.ts'
export type { Info } from './openapi/document.ts'
export type { ItemContext, ItemOperation } from './operation/action/item-api-operation.ts'
export type { Policy } from './policy/policy.ts'
export type { IQuery, QueryCallback } from './query/iquery.ts'
export type { QueryPath, SortPath } from './query/query-path.ts'
export { defaultRouterLimits, type RouterLimits } from './rule/router-limits.ts'
export { printRules, type Rule } from './rule/rule.ts'
export { type State, type StateKey, stateKey } from './state/state.ts'
export type { BlobStore } from './store/blob-store.ts'
export type { Store } from './store/store.ts'
export {
  OutcomeUnknown,
  StoreOverloaded,
  StoreTimeout,
  StoreUnavailable,
} from './store/store-failures.ts'
