import type { Router } from '../router.ts'

/** What code of the service does with the data of one store. */
export type RouterOfStore = Pick<
  Router,
  'load' | 'loadResource' | 'sweep' | 'erase' | 'query' | 'items' | 'transaction'
>
