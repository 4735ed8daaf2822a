// `resourcery/types`: the types that signatures of the package consist of. Services rarely name
// them: helpers around hooks, models and items do, and declarations that TypeScript writes.

export type {
  AccessExpression,
  AccessOperand,
  FieldAccess,
  SetOperand,
} from './access/access-rules.ts'
export type {
  AccessActionName,
  AccessDeclaration,
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
export type { ResourceLocation } from './api/load-resource.ts'
export type { OwnServiceOptions } from './api/own-service.ts'
export type { AuthenticateOptions } from './api/router.ts'
export type { RouterContent } from './api/router-content.ts'
export type { RouterWork } from './api/router-work.ts'
export type { RouterByCaller } from './api/stores-by-caller/router-by-caller.ts'
export type {
  RouterByCallerOptions,
  StoreWithBlobs,
} from './api/stores-by-caller/router-by-caller-options.ts'
export type { RouterOfStore } from './api/stores-by-caller/router-of-store.ts'
export type { TimeoutOptions } from './api/timeout-options.ts'
export type {
  Authenticated,
  AuthenticationResult,
  AuthenticationTools,
  CredentialResult,
  RefusedCredential,
} from './authentication/authenticator.ts'
export type { ItemsOptions } from './context/items-options.ts'
export type {
  ClassMembersOf,
  CommittedWrite,
  DoneWrite,
  PlannedWrite,
  TransactionDetails,
  WriteCause,
  WriteDetails,
} from './context/write-hooks.ts'
export type { ApiErrorOptions, ErrorHeaders, FailedItem } from './error/api-error.ts'
export type { CatalogEntry } from './error/catalog.ts'
export type { CustomErrorCode, ErrorSource } from './error/problem.ts'
export type { ChangesOptions } from './feature/change-log/change-log-options.ts'
export type { ChangeFeedOptions } from './feature/change-log/feed/change-feed-options.ts'
export type { CompressionOptions } from './feature/compression/compression-options.ts'
export type { ChangeFacts } from './feature/consumers/change.ts'
export type { ConsumerDetails } from './feature/consumers/consumer-options.ts'
export type { ConsumerReport, ReportedAside } from './feature/consumers/consumer-report.ts'
export type { IdempotencyOptions } from './feature/idempotency/idempotency-options.ts'
export type {
  ModelOperations,
  RepeatableOperation,
} from './feature/idempotency/idempotency-settings.ts'
export type { ProtectedResourceOptions } from './feature/protected-resource/metadata.ts'
export type { ScheduledRun } from './feature/scheduled-jobs/scheduled-job-options.ts'
export type {
  ReportedRun,
  ScheduledJobReport,
} from './feature/scheduled-jobs/scheduled-job-report.ts'
export type { JobTimes, TimeUnit, Weekday } from './feature/scheduled-jobs/scheduled-job-times.ts'
export type { TenantOptions } from './feature/tenant/tenant-options.ts'
export type { PathParams, RequestBody, RequestHeaders } from './http/api-request.ts'
export type { ResponseBody } from './http/api-response.ts'
export type { TrustedOrigins } from './http/cross-site-guard.ts'
export type { ResponseHeaders } from './http/headers/response-headers.ts'
export type { RequestStage, RequestTrace } from './http/request-trace.ts'
export type { MapperOptions } from './mapper/mapper.ts'
export type { RequestHookResult } from './middleware/middleware.ts'
export type {
  ActionMethod,
  KnownActionOptions,
  MethodName,
  SchemaIn,
} from './model/declare/action.ts'
export type { ActionDecorator } from './model/declare/action-decorator.ts'
export type {
  ActionArguments,
  ActionDeclaration,
  ActionInput,
  ActionReturn,
} from './model/declare/action-options.ts'
export type { ActionHook, ActionQueryHook, ActionUse } from './model/declare/action-use.ts'
export type { Backfill } from './model/declare/backfill.ts'
export type { DateTimeOptions } from './model/declare/date-time.ts'
export type {
  DerivedDefinition,
  DerivedFieldOptions,
  DerivedOptions,
} from './model/declare/derived.ts'
export type { Compute, DerivedDeclaration } from './model/declare/derived-declaration.ts'
export type {
  FieldDefinition,
  HashDefinition,
  HashOptions,
  Timestamp,
  ValueDefinition,
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
export type {
  ChangeKeeping,
  DescribedCheck,
  FinalValue,
  IdSource,
  ImmutableOption,
  ItemCheck,
  KeepOptions,
  PathIn,
  UniqueOption,
} from './model/declare/model.ts'
export type { ModelInstance, ModelTypes, QueryMember } from './model/declare/model-types.ts'
export type { OwnInverses } from './model/declare/own-inverses.ts'
export type {
  JoinTableOptions,
  RelationOptions,
  ToManyDefinition,
  ToManyOptions,
  ToOneDefinition,
  ToOneOptions,
} from './model/declare/relation.ts'
export type { RequestContext, ValueFromRequest } from './model/declare/request-context.ts'
export type {
  ImageOptions,
  ResourceDefinition,
  ResourceOptions,
  VariantFormat,
} from './model/declare/resource.ts'
export type {
  RollupDefinition,
  RollupOptions,
  RollupSettings,
  RollupTerm,
} from './model/declare/rollup.ts'
export type { RollupDeclaration, RollupFunction } from './model/declare/rollup-declaration.ts'
export type { ScalarOptions, ScalarSchema } from './model/declare/scalar-schema.ts'
export type { ListSchema, StructOptions, StructSchema } from './model/declare/struct.ts'
export type {
  MemberValue,
  OptionalMembers,
  StructMembers,
  StructValue,
} from './model/declare/struct-members.ts'
export type {
  TimestampDefinition,
  TimestampFields,
  TimestampName,
  TimestampOptions,
} from './model/declare/timestamps.ts'
export type { AggregateValue, GroupKeyValue, ValueAt } from './model/items/group-types.ts'
export type {
  ActionInputOf,
  ActionNameOf,
  ActionResultOf,
  AnyItem,
  CodeValue,
  CodeValues,
  HoldsResource,
  IncludableOf,
  InverseIds,
  ResourcePathOf,
} from './model/items/item-types.ts'
export type {
  ActionDetails,
  ReadItemOptions,
  ReadResource,
  ResourceBytes,
  WriteItemOptions,
} from './model/items/items.ts'
export type { ModelDescription } from './model/model-description.ts'
export type { ShownCapabilities } from './model/model-view.ts'
export type {
  AnyFieldQuery,
  BoundOf,
  ComparisonOperators,
  FieldQuery,
  MemberOperators,
  RelatedOperators,
  RelatedOperatorsAt,
  TextOperators,
} from './query/iquery.ts'
export type {
  EachItem,
  IsUnknown,
  ObjectStep,
  PathEnd,
  PathEndOf,
  PathStep,
  PathsTo,
  RelatedItemEnd,
  RelatedItemsEnd,
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
export type { HookName, OperationName } from './rule/operations.ts'
export type { UnpagedLists } from './rule/router-limits.ts'
export type { InputOf, OutputOf } from './schema/standard-schema.ts'
export type { ByteRange, ListedBlob } from './store/blob-store.ts'
export type { PageEntry, StoreReader } from './store/store-reader.ts'
export type { StoreTransaction, WriteOutcome } from './store/store-transaction.ts'
export type { StoredItem } from './stored-item/stored-item.ts'
