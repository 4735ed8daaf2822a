// The faults, in turn.

import { corrupted } from './faults/corrupted.mjs'
import { diskFull } from './faults/disk-full.mjs'
import { locked } from './faults/locked.mjs'
import { missingFolder } from './faults/missing-folder.mjs'
import { readOnly } from './faults/read-only.mjs'

/**
 * @typedef {object} Fault
 * @property {string} name
 * @property {boolean} isMounted needs file systems of its own
 * @property {(scenario: import('./scenario.mjs').Scenario) => Promise<void>} run
 */

/** @type {readonly Fault[]} */
export const faults = [
  { name: 'disk full', isMounted: true, run: diskFull },
  { name: 'read-only', isMounted: true, run: readOnly },
  { name: 'corrupted file', isMounted: false, run: corrupted },
  { name: 'missing folder', isMounted: false, run: missingFolder },
  { name: 'locked file', isMounted: false, run: locked },
]
