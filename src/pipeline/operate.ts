import { createItem } from '../operation/create-item.ts'
import { deleteItem } from '../operation/delete-item.ts'
import { deleteResource } from '../operation/delete-resource.ts'
import { getItem } from '../operation/get-item.ts'
import { getList } from '../operation/get-list.ts'
import { getResource } from '../operation/get-resource.ts'
import { itemApiOperation } from '../operation/item-api-operation.ts'
import { itemMethodApiOperation } from '../operation/item-method-api-operation.ts'
import type { ActionJob, BodyJob, ItemJob, ListJob, ResourceJob, Result, ThroughJob } from '../operation/job.ts'
import { relatedGet } from '../operation/related-get.ts'
import { relationshipDelete } from '../operation/relationship-delete.ts'
import { relationshipGet } from '../operation/relationship-get.ts'
import { relationshipPatch } from '../operation/relationship-patch.ts'
import { relationshipPost } from '../operation/relationship-post.ts'
import { replaceItem } from '../operation/replace-item.ts'
import { setResource } from '../operation/set-resource.ts'
import { updateItem } from '../operation/update-item.ts'
import type { ModelOperation } from '../rule/operations.ts'

/** A job with all that any operation may ask for; each takes what it needs. */
export type AnyJob = ItemJob & ListJob & BodyJob & ThroughJob & ResourceJob & ActionJob

/** The operation behind each name. */
export const implementations: Readonly<Record<ModelOperation, (job: AnyJob) => Promise<Result>>> = {
  GetList: getList,
  GetItem: getItem,
  CreateItem: createItem,
  UpdateItem: updateItem,
  ReplaceItem: replaceItem,
  DeleteItem: deleteItem,
  GetResource: getResource,
  SetResource: setResource,
  DeleteResource: deleteResource,
  ItemMethodApiOperation: itemMethodApiOperation,
  ItemApiOperation: itemApiOperation,
  RelatedGet: relatedGet,
  RelationshipGet: relationshipGet,
  RelationshipPost: relationshipPost,
  RelationshipPatch: relationshipPatch,
  RelationshipDelete: relationshipDelete,
}
