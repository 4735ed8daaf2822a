// The figures of the budget.

/**
 * @typedef {object} Costs of one request
 * @property {number} calls of functions of the library, with those that V8 inlines
 * @property {number} allocatedBytes by the whole process
 * @property {number} promotedBytes of these, those that reach the old space of V8
 */

/** @type {readonly (keyof Costs)[]} */
export const FIGURES = ['calls', 'allocatedBytes', 'promotedBytes']

/** How far a figure may exceed its budget. */
export const ROOM = 0.05

/** What a collection promotes depends on the requests that it meets, too. */
const ROOM_OF_PROMOTED_BYTES = 600

/**
 * @param {keyof Costs} figure
 * @param {number} value
 * @param {number} allowed
 */
export function isOver(figure, value, allowed) {
  const room = figure === 'promotedBytes' ? ROOM_OF_PROMOTED_BYTES : 0
  return value > allowed * (1 + ROOM) + room
}
