import type { MediaTypeParameters } from '../rule/media-type-parameters.ts'
import type { QueryParameter } from '../rule/query-parameter.ts'
import type { ItemRequest } from '../rule/request-shape.ts'
import type { ResponseShape } from '../rule/response-shape.ts'
import type { Purpose, Serializer } from '../serializer/serializer.ts'
import type { ActionFormat } from './action-rules.ts'
import type { ChangesFormat } from './changes-rules.ts'
import type { GroupsFormat } from './groups-format.ts'
import type { LinesFormat } from './item-lines.ts'

/** How a protocol forms the requests and responses of one model. */
export interface ModelFormat {
  readonly serializer: Serializer
  readonly mediaTypeParameters: MediaTypeParameters
  /** What the protocol calls an item, in descriptions. */
  readonly noun: string
  readonly item: Pick<ResponseShape, 'contents' | 'idPointer'>
  readonly list: Pick<ResponseShape, 'contents' | 'idPointer' | 'headers'> &
    Partial<Pick<ResponseShape, 'parameters' | 'alternatives' | 'fileExtension'>>
  request(purpose: Purpose): Pick<ItemRequest, 'mediaTypes' | 'contents'>
  /** Bodies that create several items. Default: none. */
  readonly lines?: LinesFormat | undefined
  readonly missingRelatedError: ItemRequest['missingRelatedError']
  /** The errors of the reader of items. */
  readonly requestErrors: ItemRequest['errors']
  readonly writesInverses: boolean
  /** Undefined if the protocol does not offer actions. */
  readonly actions: ActionFormat | undefined
  /** Default: clients cannot follow changes. */
  readonly changes?: ChangesFormat
  /** Default: clients cannot group lists. */
  readonly groups?: GroupsFormat
  /** The query parameters of responses with one item, and of lists. */
  readonly itemParameters: readonly QueryParameter[]
  readonly listParameters: readonly QueryParameter[]
}
