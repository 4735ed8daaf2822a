import { createItem } from '../operation/create-item.ts'
import { deleteItem } from '../operation/delete-item.ts'
import { getItem } from '../operation/get-item.ts'
import { getList } from '../operation/get-list.ts'
import type { BodyJob, ListJob, Result } from '../operation/job.ts'
import { replaceItem } from '../operation/replace-item.ts'
import { updateItem } from '../operation/update-item.ts'
import type { OperationName } from '../rule/operations.ts'

/** A job with all that any operation may ask for; each takes what it needs. */
export type AnyJob = ListJob & BodyJob

/** The operation behind each name. */
export const implementations: Readonly<Record<OperationName, (job: AnyJob) => Promise<Result>>> = {
  GetList: getList,
  GetItem: getItem,
  CreateItem: createItem,
  UpdateItem: updateItem,
  ReplaceItem: replaceItem,
  DeleteItem: deleteItem,
}
