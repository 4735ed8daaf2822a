// The public names of `resourcery/policy`: everything that a package needs to implement a policy.
export { refuseAll } from '../error/api-error.ts'
export type { UnwrittenRule } from '../error/unwritten-rule.ts'
export { formatPointer, type PointerStep } from '../http/json/json-pointer.ts'
export type { QueryParameterEntry } from '../http/query-string.ts'
export { fieldSchema, type SchemaDirection } from '../model/field-schema.ts'
export {
  type AddedMember,
  isReadable,
  isWritable,
  type ModelView,
  type ModelViews,
  readableField,
  readableNames,
  type ShownCapabilities,
  writableField,
} from '../model/model-view.ts'
export type { BatchPayload, OperationPayload, OperationTarget } from '../rule/batch-payload.ts'
export { type Content, type ContentEncoding, type Contents, noContents } from '../rule/contents.ts'
export type { RuleDeclaration } from '../rule/declaration.ts'
export type { BaseItemLines, CsvItemLines, ItemLines, JsonItemLines } from '../rule/item-lines.ts'
export {
  charsetParameters,
  type MediaTypeParameters,
  type Profile,
} from '../rule/media-type-parameters.ts'
export type { ModelOperation } from '../rule/operations.ts'
export { downloadParameter } from '../rule/parameter/download-parameter.ts'
export { fieldsParameter } from '../rule/parameter/fields-parameter.ts'
export { filterParameter } from '../rule/parameter/filter-parameter.ts'
export { highlightsParameters } from '../rule/parameter/highlights-parameters.ts'
export { includeParameter } from '../rule/parameter/include-parameter.ts'
export { pageParameter } from '../rule/parameter/page-parameter.ts'
export { searchParameters } from '../rule/parameter/search-parameter.ts'
export { sortParameter } from '../rule/parameter/sort-parameter.ts'
export { summaryParameters } from '../rule/parameter/summary-parameters.ts'
export { withCountParameter } from '../rule/parameter/with-count-parameter.ts'
export type {
  DocumentedParameter,
  ParameterResult,
  QueryParameter,
} from '../rule/query-parameter.ts'
export type {
  BodyShape,
  BytesRequest,
  InputRequest,
  ItemRequest,
  LinkageRequest,
  MissingRelatedError,
  NoRequest,
  QueryRequest,
  RelatingBody,
  RequestByOperation,
} from '../rule/request-shape.ts'
export type {
  AlternativeShape,
  BaseResponseShape,
  ErrorResponse,
  HeaderName,
  HeaderPresence,
  ResponseShape,
} from '../rule/response-shape.ts'
export type { PolicyLimits } from '../rule/router-limits.ts'
export {
  type BaseRule,
  type BatchRequest,
  type BatchResponse,
  type BatchRule,
  type FeedRule,
  type IdempotencyKeyUse,
  isModelRule,
  type Method,
  type ModelRule,
  type OperationRule,
  type PolicyBatchRule,
  type PolicyFeedRule,
  type PolicyOperationRule,
  type PolicyRouterRule,
  type PolicyRule,
  pathView,
  type RegisteredRuleParts,
  type RuleOf,
} from '../rule/rule.ts'
export type {
  CanonicalQuery,
  ChangesSelection,
  FeedSelection,
  GroupsSelection,
  IncludedSelection,
  IncludeNode,
  Page,
  RequestedAggregate,
  RequestedFacet,
  RequestedGroupKey,
  RequestedSearch,
  Selection,
} from '../rule/selection.ts'
export type {
  ActionTarget,
  BaseRelationTarget,
  BatchTarget,
  CapabilitiesTarget,
  ChangesTarget,
  FeedTarget,
  GroupsTarget,
  ItemTarget,
  LinkageTarget,
  ListTarget,
  RelatedTarget,
  ResourceTarget,
  TargetByOperation,
  TrashedTarget,
  TrashTarget,
  VersionsTarget,
  VersionTarget,
} from '../rule/target.ts'
export { component, type JsonSchema } from '../schema/json-schema.ts'
export { nullable } from '../schema/nullable.ts'
export type { GroupColumn, OutgoingGroup, OutgoingGroups } from '../serializer/outgoing-groups.ts'
export type {
  CollectedLinkage,
  ItemAnnotations,
  Linkage,
  LinkedResource,
  OutgoingItem,
  OwnerLinkage,
  RelationshipPage,
} from '../serializer/outgoing-item.ts'
export type {
  ActionPayload,
  ItemPayload,
  LinkagePayload,
  PayloadValue,
  Steps,
} from '../serializer/payload.ts'
export type {
  BatchSerializer,
  DocumentFacts,
  DocumentFrame,
  ErrorSerializer,
  Purpose,
  Serializer,
} from '../serializer/serializer.ts'
export type { TextKind } from '../text/csv-cell.ts'
export type { CsvCell } from '../text/csv-record.ts'
export { type ActionFormat, type ActionResponses, actionRules } from './action-rules.ts'
export type { ChangesFormat } from './changes-rules.ts'
export { createContents } from './create-contents.ts'
export { exampleFlatItem } from './example-flat-item.ts'
export { type ExampleItem, exampleItem } from './example-item.ts'
export { type FeedFormat, feedRules } from './feed-rules.ts'
export { type FlatItemSchemas, flatItemSchemas, flatLinkageSchema } from './flat-item-schemas.ts'
export { type GroupsFormat, groupsProperties } from './groups-format.ts'
export type { LinesFormat } from './item-lines.ts'
export type { ModelFormat } from './model-format.ts'
export { modelRules } from './model-rules.ts'
export {
  changesParameters,
  groupsParameters,
  itemParameters,
  listParameters,
} from './operation-parameters.ts'
export { plainFrame } from './plain-frame.ts'
export { problemMembers, problemMetaSchema } from './problem-members.ts'
export { type QueriedOperation, withQuery } from './query-rule.ts'
export { flatItemErrors, readFlatItem, readFlatLinkage } from './read-flat-item.ts'
export { type RelationFormat, relationRules } from './relation-rules.ts'
export { type ResourceResponses, resourceRules } from './resource-rules.ts'
export { createRuleMaker, type ParametersByContent, type RuleMaker } from './rule-maker.ts'
export { writeFlatItem } from './write-flat-item.ts'
