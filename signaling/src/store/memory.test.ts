import { describeRoomStore } from '../../testing/store-contract.js';
import { createMemoryStore } from './memory.js';

describeRoomStore('memory', createMemoryStore);
