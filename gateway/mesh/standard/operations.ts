/** The status of every operation of a block: a transaction of a block always succeeded. */
export const SUCCESS = "SUCCESS";
