internal import LogbookCore
