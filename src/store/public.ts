// The public names of `resourcery/store`: everything that code needs to implement a store or a blob
// store, or to copy items between stores.
export { TimeSlice, type TimeSliceOptions } from '../concurrency/time-slice.ts'
export { type Waiter, yieldToEventLoop } from '../concurrency/yield-to-event-loop.ts'
export { findInvalidText } from '../http/json/invalid-text.ts'
export type { ActionDescription, ActionValue } from '../model/action-description.ts'
export { describeModels } from '../model/describe/describe-models.ts'
export type { FieldBase } from '../model/field-base.ts'
export { idRules, isValidId } from '../model/id.ts'
export type {
  ChangeLogging,
  CodedField,
  ComputedValue,
  DerivedField,
  DerivedValue,
  FieldDescription,
  HashField,
  Immutability,
  ImmutableCondition,
  InboundRelation,
  IndexDescription,
  IndexKey,
  InverseField,
  ManyRelation,
  ModelDescription,
  OwnedRelation,
  RelationBase,
  RelationField,
  ResourcePath,
  Retention,
  RollupField,
  RollupValue,
  SearchedText,
  TimestampField,
  ToManyField,
  ToOneField,
  UniqueCondition,
  UniqueRange,
  UniqueSet,
  ValueField,
} from '../model/model-description.ts'
export { isRelation } from '../model/relation-kinds.ts'
export type { NestedResources, ResourceField, Variant } from '../model/resource-field.ts'
export type {
  ColumnStorage,
  JoinTableStorage,
  ModelStorage,
  TableName,
  VersionStorage,
} from '../model/storage.ts'
export { type BinaryResource, StoredResource } from '../model/stored-resource.ts'
export {
  type AllowedValues,
  type DecimalDigits,
  isDecimal,
  isInstant,
  isScalar,
  type ScalarType,
  type StructMember,
  type ValueType,
} from '../model/value-type.ts'
export { areComparable, compareScalars, positionComparator } from '../query/compare.ts'
export {
  allOf,
  always,
  andAlso,
  anyOf,
  fieldPathsIn,
  idEquals,
  idIsAnyOf,
  mapPaths,
  negate,
  never,
  relatesToAny,
  toFieldPath,
} from '../query/conditions.ts'
export { toDecimalKey } from '../query/decimal.ts'
export { foldText } from '../query/fold-text.ts'
export type {
  AggregateFunction,
  AggregateResult,
  AggregateTerm,
  DatePart,
  GroupKey,
  GroupPlan,
  ItemGroup,
} from '../query/group-plan.ts'
export { toInstantKey } from '../query/instant.ts'
export { printQueryPlan } from '../query/print-query-plan.ts'
export {
  allItemsPlan,
  type CompareOperator,
  type Condition,
  type FieldPath,
  type FieldSortKey,
  type OffsetPlan,
  type PageRange,
  type PathCondition,
  type Position,
  type QueryPlan,
  type RelevanceSortKey,
  type Scalar,
  type SearchCondition,
  type SearchedField,
  type SearchTerm,
  type SortDirection,
  type SortKey,
  type TextOperator,
} from '../query/query-plan.ts'
export { needleOf, wordsOf } from '../query/search-words.ts'
export { mapSortPaths, sortPathsIn } from '../query/sort-keys.ts'
export type { JsonSchema, JsonType, SchemaComponent } from '../schema/json-schema.ts'
export type { SchemaCodec } from '../schema/schema-codec.ts'
export type { Schema } from '../schema/standard-schema.ts'
export {
  createStoredItem,
  hasSameContent,
  isShown,
  readStoredValues,
} from '../stored-item/create-stored-item.ts'
export { withDerivedValues } from '../stored-item/derived-values.ts'
export {
  blobKeysOf,
  type ResourcePathText,
  type ResourcesByPath,
  resourcesIn,
} from '../stored-item/item-resources.ts'
export { isLinkageValue, linkageOf, linkedIds } from '../stored-item/linkage.ts'
export { mapFieldResources } from '../stored-item/map-resources.ts'
export { migrateItem, schemaFingerprint } from '../stored-item/migrate-item.ts'
export type { RawLineFormat } from '../stored-item/raw-lines.ts'
export type { RawItem, StoredItem, StoredValues } from '../stored-item/stored-item.ts'
export { keepUndeclaredMembers } from '../stored-item/undeclared-members.ts'
export {
  BlobGone,
  type BlobStore,
  type BlobStoreFacts,
  type ByteRange,
  type ListedBlob,
} from './blob-store.ts'
export { isBlobKey, makeBlobKey } from './blobs/blob-key.ts'
export { concatChunks } from './blobs/chunks.ts'
export type {
  ChangeEntry,
  ChangeLog,
  ChangeLogWriter,
  ChangeRetention,
  ErasedChange,
  ErasedOld,
  LoggedAt,
  LoggedChange,
  OldChanges,
  ReadChanges,
} from './change-log.ts'
export type { CopiedData, DataCopy, DataFiles } from './data-files.ts'
export { type ItemReader, matcherOf, scalarReader } from './evaluation/evaluate.ts'
export { type ItemSource, itemSource } from './evaluation/item-source.ts'
export {
  explainWriteError,
  type ItemToWrite,
  reasonOf,
  type UnwrittenItem,
} from './failed-writes.ts'
export { canonicalValue } from './groups/canonical-value.ts'
export { type ItemGroups, itemGroups } from './groups/group-items.ts'
export { executePlan, type PositionedItem } from './memory/execute-plan.ts'
export type { TableEntry } from './memory/memory-table.ts'
export type {
  ClientUsage,
  RecordShare,
  RecordTimes,
  RecordUsage,
  RequestRecords,
  RequestRecordWriter,
} from './request-records.ts'
export {
  type ArrayOfScalars,
  type Hop,
  type IdLeaf,
  type InverseLeaf,
  type ManyLeaf,
  type PathLeaf,
  type RelationLeaf,
  type ResolvedPath,
  resolveManyPath,
  resolvePath,
  resolveScalarPath,
  type ScalarLeaf,
  type ToManyLeaf,
  type ToOneLeaf,
  type ValueLeaf,
} from './resolve-path.ts'
export { satisfyingIds } from './satisfying-ids.ts'
export type {
  PlanOptions,
  ReadFastPaths,
  StartProgress,
  Store,
  StoreAdmin,
  StoreFacts,
  StoreFastPaths,
  StoreOpenOptions,
} from './store.ts'
export type { CallerState, CallerWrites, StoreCall, WritePositions } from './store-call.ts'
export type { StoreDescription } from './store-description.ts'
export { modelNotOpened, nothingToReplace, transactionEnded } from './store-errors.ts'
export {
  InvalidPosition,
  OutcomeUnknown,
  StoreOverloaded,
  StoreTimeout,
  StoreUnavailable,
} from './store-failures.ts'
export type { StoreNotes } from './store-notes.ts'
export type { PlanStep } from './store-plan.ts'
export type {
  PageEntry,
  RawJsonPage,
  RawJsonReader,
  RelatedStoredItem,
  StoredPage,
  StoreReader,
} from './store-reader.ts'
export type {
  ExpectedCount,
  InsertOptions,
  ItemCount,
  ItemIds,
  LogOnly,
  StoreTransaction,
  TransactionFastPaths,
  TransactionLocks,
  WriteOptions,
  WriteOutcome,
} from './store-transaction.ts'
export type { PruneOptions, UndeclaredData } from './undeclared-data.ts'
