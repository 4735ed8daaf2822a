// The public names of the package. Stores, policies and hosts are subpath exports.

export type { AccessCondition } from './access/access-condition.ts'
export type {
  AccessExpression,
  AccessOperand,
  AccessRules,
  FieldAccess,
  SetOperand,
} from './access/access-rules.ts'
export type {
  AccessActionName,
  AccessCallback,
  AccessDeclaration,
  AccessSymbols,
  FieldAccessDeclaration,
  MemberNameOf,
} from './access/declare-access.ts'
export type {
  CallerMember,
  CallerSymbol,
  ComparedList,
  ComparedValue,
  ItemSymbol,
  ListSymbol,
  NowSymbol,
  OneSymbol,
  RelatedSymbol,
  ScalarSymbol,
  SymbolOf,
  symbolValue,
  TextSymbol,
  ValueSymbol,
} from './access/symbol-types.ts'
export type { ForeignRequest } from './adapter/foreign-request.ts'
export type { TenantOptions } from './api/access-settings.ts'
export type { CompressionOptions } from './api/compression-options.ts'
export { createRouter } from './api/create-router.ts'
export type { IdempotencyOptions } from './api/idempotency-options.ts'
export type { LoadedItem } from './api/load-items.ts'
export type { ResourceContent, ResourceLocation } from './api/load-resource.ts'
export type { OwnServiceOptions, RouteHandler, RouteRequest } from './api/own-service.ts'
export type { PreparedRouter } from './api/prepared-router.ts'
export type { AuthenticateOptions, Router } from './api/router.ts'
export type { RouterOptions } from './api/router-options.ts'
export type {
  Authenticated,
  AuthenticationResult,
  AuthenticationTools,
  Authenticator,
  CredentialResult,
  RefusedCredential,
} from './authentication/authenticator.ts'
export type { ProtectedResourceOptions } from './authentication/protected-resource.ts'
export type { Context } from './context/context.ts'
export type { ModelOperations, RepeatableOperation } from './context/idempotency.ts'
export {
  ApiError,
  type ApiErrorOptions,
  type ErrorHeaders,
  type FailedItem,
  refuse,
} from './error/api-error.ts'
export { AuthenticationUnavailable } from './error/authentication-unavailable.ts'
export { type CatalogEntry, catalog, type ErrorCode } from './error/catalog.ts'
export { type CustomErrorCode, type ErrorSource, type Problem, problem } from './error/problem.ts'
export type { ApiRequest, PathParams, RequestBody, RequestHeaders } from './http/api-request.ts'
export { type ApiResponse, type ResponseBody, respond } from './http/api-response.ts'
export type { CorsOptions } from './http/cors-options.ts'
export type { TrustedOrigins } from './http/cross-site-guard.ts'
export type { ResponseHeaders } from './http/headers/response-headers.ts'
export type { ItemsOptions } from './items/items-options.ts'
export type {
  AfterWrite,
  BeforeWrite,
  ClassMembersOf,
  CommittedWrite,
  DoneWrite,
  DraftOf,
  PlannedWrite,
  TransactionDetails,
  ValuesOf,
  WriteCause,
  WriteDetails,
  WriteHooks,
} from './items/write-hooks.ts'
export type { Mapper, MapperOptions } from './mapper/mapper.ts'
export type {
  AroundHook,
  Hook,
  Middleware,
  QueryHook,
  RequestHook,
  RequestHookResult,
} from './middleware/middleware.ts'
export {
  type ActionMethod,
  action,
  type KnownActionOptions,
  type MethodName,
  type SchemaIn,
} from './model/declare/action.ts'
export { Action, type ActionDecorator } from './model/declare/action-decorator.ts'
export type {
  ActionArguments,
  ActionDeclaration,
  ActionInput,
  ActionOptions,
  ActionReturn,
} from './model/declare/action-options.ts'
export type {
  ActionHook,
  ActionMiddleware,
  ActionQueryHook,
  ActionUse,
} from './model/declare/action-use.ts'
export type { Backfill, OldItem } from './model/declare/backfill.ts'
export { type DateTimeOptions, date, dateTime } from './model/declare/date-time.ts'
export { decimal } from './model/declare/decimal.ts'
export {
  type FieldDefinition,
  type FieldOptions,
  field,
  type HashDefinition,
  type HashOptions,
  hash,
  type Timestamp,
  type ValueDefinition,
} from './model/declare/field.ts'
export type {
  FieldNameOf,
  FieldsOf,
  InverseKind,
  OwnedRelationIn,
  OwnedRelationOf,
  RelationKind,
} from './model/declare/fields-of.ts'
export type { Flatten } from './model/declare/flatten.ts'
export type {
  Fields,
  FieldValue,
  ItemFromFields,
  MissingAllowed,
  OptionalKeys,
  RelatedItemOf,
  RelationIds,
  StoredKeys,
  StoredRelations,
} from './model/declare/item.ts'
export type {
  LoadedFieldValue,
  LoadedFieldValues,
  LoadedValue,
  OmittableKeys,
  StoredFieldValue,
  StoredFieldValues,
  UnhashedKeys,
  ValueIfFromRequest,
} from './model/declare/item-values.ts'
export {
  type AnyModel,
  type DescribedCheck,
  type FinalValue,
  type IdSource,
  type ImmutableOption,
  type ItemCheck,
  type ItemOf,
  type ModelClass,
  type ModelOptions,
  model,
  type PathIn,
  type UniqueOption,
} from './model/declare/model.ts'
export type {
  ModelInstance,
  ModelTypes,
  QueryMember,
} from './model/declare/model-types.ts'
export type { OwnInverses } from './model/declare/own-inverses.ts'
export {
  type JoinTableOptions,
  type OnDelete,
  type RelatedItem,
  type RelationOptions,
  type ToManyDefinition,
  type ToManyOptions,
  type ToOneDefinition,
  type ToOneOptions,
  toMany,
  toOne,
} from './model/declare/relation.ts'
export type { RequestContext, ValueFromRequest } from './model/declare/request-context.ts'
export {
  audio,
  file,
  type ImageOptions,
  image,
  type ResourceDefinition,
  type ResourceOptions,
  type VariantFormat,
} from './model/declare/resource.ts'
export type { ScalarOptions, ScalarSchema } from './model/declare/scalar-schema.ts'
export {
  type ListSchema,
  list,
  type StructOptions,
  type StructSchema,
  struct,
} from './model/declare/struct.ts'
export type {
  MemberValue,
  OptionalMembers,
  StructMembers,
  StructValue,
} from './model/declare/struct-members.ts'
export {
  type TimestampDefinition,
  type TimestampFields,
  type TimestampName,
  type TimestampOptions,
  timestamps,
} from './model/declare/timestamps.ts'
export type {
  ActionInputOf,
  ActionNameOf,
  ActionResultOf,
  AnyItem,
  CodeItem,
  CodeValue,
  CodeValues,
  HoldsResource,
  IncludableOf,
  InverseIds,
  ItemChanges,
  NewItem,
  ResourcePathOf,
} from './model/items/item-types.ts'
export type {
  ActionDetails,
  ItemQuery,
  Items,
  ItemsOf,
  ReadItemOptions,
  ReadResource,
  ResourceBytes,
  WriteItemOptions,
} from './model/items/items.ts'
export type { ModelDescription } from './model/model-description.ts'
export type { ShownCapabilities } from './model/model-view.ts'
export { RegistrationError } from './model/registration-error.ts'
export type { BinaryResource } from './model/stored-resource.ts'
export type {
  Components,
  ContentObject,
  ExternalDocs,
  HeaderObject,
  HttpMethod,
  Info,
  LinkObject,
  MediaTypeObject,
  OpenApiDocument,
  OpenApiVersion,
  OperationObject,
  ParameterObject,
  PathItem,
  Reference,
  RequestBodyObject,
  ResponseObject,
  SecurityRequirement,
  ServerAddress,
  Tag,
} from './openapi/document.ts'
export { noResponseDescription } from './openapi/no-response-description.ts'
export type { OpenApiOptions } from './openapi/open-api-options.ts'
export type { OwnOperation, OwnOperations } from './openapi/own-routes.ts'
export { toOpenApi } from './openapi/to-open-api.ts'
export { toOpenApiSchema } from './openapi/to-open-api-schema.ts'
export type { ItemContext, ItemOperation } from './operation/action/item-api-operation.ts'
export type { Policy } from './policy/policy.ts'
export type {
  AnyFieldQuery,
  BoundOf,
  ComparisonOperators,
  FieldQuery,
  IQuery,
  MemberOperators,
  QueryCallback,
  RelatedOperators,
  RelatedOperatorsAt,
  TextOperators,
} from './query/iquery.ts'
export { print } from './query/print-query-plan.ts'
export type {
  EachItem,
  IsUnknown,
  ObjectStep,
  PathEnd,
  PathEndOf,
  PathStep,
  PathsTo,
  QueryPath,
  RelatedItemEnd,
  RelatedItemsEnd,
  SortPath,
} from './query/query-path.ts'
export type {
  Condition,
  FieldPath,
  PageRange,
  QueryPlan,
  Scalar,
  SortDirection,
  SortKey,
} from './query/query-plan.ts'
export type {
  MembersOf,
  Opaque,
  Queryable,
  QueryTypes,
  QueryTypesOf,
  queryTypes,
  StoredValues,
  StoredValuesOf,
  ToManyMember,
  ToOneMember,
} from './query/query-types.ts'
export type {
  Declaration,
  DeclaredResponse,
  RequiredScheme,
  SecurityAlternative,
  SecurityScheme,
} from './rule/declaration.ts'
export { operationIdOf } from './rule/operation-id.ts'
export type { HookName, OperationName } from './rule/operations.ts'
export { defaultRouterLimits, type RouterLimits, type UnpagedLists } from './rule/router-limits.ts'
export { printRules, type Rule } from './rule/rule.ts'
export type { InputOf, OutputOf } from './schema/standard-schema.ts'
export { type State, type StateKey, stateKey } from './state/state.ts'
export { BlobGone, type BlobStore, type ByteRange, type ListedBlob } from './store/blob-store.ts'
export type { Store } from './store/store.ts'
export {
  OutcomeUnknown,
  StoreOverloaded,
  StoreTimeout,
  StoreUnavailable,
} from './store/store-failures.ts'
export type { PageEntry, StoreReader } from './store/store-reader.ts'
export type { StoreTransaction, WriteOutcome } from './store/store-transaction.ts'
export type { StoredItem } from './stored-item/stored-item.ts'
