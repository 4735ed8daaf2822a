// The public names of `resourcery/moving`.
export { copyItems } from './copy-items.ts'
export { exportItems } from './export-items.ts'
export { importItems } from './import-items.ts'
export type {
  ItemList,
  ItemName,
  MovableStore,
  MoveOptions,
  MoveProgress,
  MoveReport,
} from './move-options.ts'
